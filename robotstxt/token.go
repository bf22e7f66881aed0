package robotstxt

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/heed-robots/heed/internal/ascii"
)

// ValidToken reports whether s is a product token: one or more letters, "_" or "-".
func ValidToken(s string) bool {
	return s != "" && len(tokenPrefix(s)) == len(s)
}

func tokenPrefix(s string) string {
	i := 0
	for i < len(s) && isTokenByte(s[i]) {
		i++
	}
	return s[:i]
}

func isTokenByte(c byte) bool {
	return ascii.IsLetter(c) || c == '_' || c == '-'
}

// ProductToken returns the product token of the crawler in a User-Agent header. It is "MJ" for "MJ12bot/v1.4.8", and
// "nutch" for "nutch-1.4". ProductToken finds the crawler by the table of package crawlers, or else by hints such as "bot".
//
// If no robots.txt line can name the crawler, as for "360Spider", ok is false.
func ProductToken(userAgent string) (token string, ok bool) {
	token = withoutDashedVersion(ProductName(userAgent))
	if strings.Trim(token, "-_") == "" { // only punctuation, as in "- Example"
		return "", false
	}
	return token, true
}

// For "grub-client-0.3.0", withoutDashedVersion returns "grub-client".
func withoutDashedVersion(name string) string {
	token := tokenPrefix(name)
	if len(token) < len(name) && '0' <= name[len(token)] && name[len(token)] <= '9' {
		return strings.TrimRight(token, "-_")
	}
	return token
}

// ProductName returns the name of the crawler in a User-Agent header, without a version, such as "MJ12bot". If the header
// names only browsers and platforms, ProductName returns "". See ProductToken.
func ProductName(userAgent string) string {
	s := headerScanner{rest: userAgent}
	for s.next() {
		s.considerWord()
	}
	return s.best
}

// The ranks of a name, the weakest first. If two names have the same rank, the first name in the header wins, because a
// header begins with its most important product.
const (
	rankNone       = iota
	rankWeak       // a tool to build crawlers with, such as "HeadlessChrome"
	rankComment    // a name inside a comment
	rankProduct    // a name outside of comments
	rankKnown      // a known crawler without a hint such as "bot" in its name
	rankCompatible // a name after "compatible;"
	rankCrawler    // a name with a hint such as "bot"
	rankFirst      // the first word of the header, if it is not a platform word such as "Mozilla"
	rankBoth       // a known crawler or a name with a hint, first or after "compatible;"
)

// A headerScanner reads a header word by word, and keeps the best name. Example:
//
//	Mozilla/5.0 (Linux; Android 6.0; Nexus 5) Safari/537.36 (compatible; ExampleBot/2.1; +https://example.com/bot)
//
// The ranks of its words are:
//
//	Mozilla, Linux, Android, 6.0   none: platform words and versions
//	Nexus                          none: after "Android", a word of the same comment may name a device
//	5                              none: not the first word of its phrase
//	Safari                         none: a platform word
//	compatible                     none: but the next phrase names the crawler
//	ExampleBot                     rankBoth: contains "bot", and is after "compatible"
//	+https://example.com/bot       none: an address
type headerScanner struct {
	rest  string // what is not read yet
	words int

	// The current word:
	word      string // the word before a "/"; "" if the word is an address
	versioned bool

	// The comments around the word:
	depth    int
	comments int
	opening  bool // the word is the first of its comment
	device   bool // the next words may name a device, or a version of a system
	system   bool // the product before the comment is an operating system, as in "Ubuntu/10.04 (lucid)"

	// A phrase is the words about one product, with its name and version. In a comment, a phrase ends at ";" or ",".
	inPhrase   bool   // the word is not the first of its phrase
	name       string // the first word of the phrase that may be a name
	muted      bool   // the rest of the phrase is about another product, as in "like Gecko"
	compatible bool   // the phrase before this one was "compatible"

	best string
	rank int
}

func (s *headerScanner) next() bool {
	for s.rest != "" && separators[s.rest[0]] {
		s.separate(s.rest[0])
		s.rest = s.rest[1:]
	}
	end := 0
	for end < len(s.rest) && !separators[s.rest[end]] {
		end++
	}
	word := strings.TrimLeft(s.rest[:end], "+") // some crawlers write "+" instead of a space, or before a URL
	s.rest = s.rest[end:]
	s.words++
	s.word, _, s.versioned = strings.Cut(word, "/")
	if ascii.EqualFold(s.word, "DuckDuckBot-Https") { // another name of DuckDuckBot
		s.word = s.word[:len("DuckDuckBot")]
	}
	if isAddress(word) {
		s.word = ""
	}
	return end > 0
}

var separators = func() (set [256]bool) {
	for _, c := range []byte(" \t\r\n\"'()[];,") {
		set[c] = true
	}
	return set
}()

func (s *headerScanner) separate(c byte) {
	switch c {
	case '(', '[':
		s.depth++
		s.comments++
		s.compatible, s.device, s.opening = false, s.system, true
	case ')', ']':
		s.depth = max(0, s.depth-1)
		s.compatible, s.device, s.opening = false, false, false
	case ';', ',':
		// "compatible" applies to the next phrase only.
		s.compatible = s.compatible && !s.inPhrase
	default:
		return
	}
	s.inPhrase, s.muted, s.name = false, false, ""
}

func (s *headerScanner) considerWord() {
	if ascii.EqualFold(s.word, "compatible") {
		s.compatible, s.inPhrase = true, false
		return
	}
	// After "like" or "with", the next words name another product: "like Gecko", "compatible with Googlebot".
	s.muted = s.muted || ascii.EqualFold(s.word, "like") || ascii.EqualFold(s.word, "with")
	name, rank := s.gradeWord()
	if rank > s.rank {
		s.rank, s.best = rank, name
	}
	if s.name == "" && !s.muted && !isPlatform(s.word) && !isVersion(s.word) {
		s.name = s.word
	}
	// In a comment, the next word belongs to the same phrase as this word. Outside of comments, a next word that begins
	// another product belongs to a new phrase.
	s.inPhrase = s.depth > 0 || !s.endsProduct()
	if !s.inPhrase {
		s.name = ""
	}
	if s.depth == 0 && !isVersion(s.word) {
		s.system = hasWord(systemWords, tokenPrefix(s.word))
	}
	s.muted = s.muted && (s.depth > 0 || !s.versioned)
	s.opening = false
}

func (s *headerScanner) endsProduct() bool {
	return s.versioned || isVersion(s.word) || isPlatform(s.word)
}

// For "NewsBot" in "AllAfrica NewsBot", gradeWord returns the name "AllAfrica".
func (s *headerScanner) gradeWord() (name string, rank int) {
	if s.word == "" || s.muted {
		return "", rankNone
	}
	hinted := hasCrawlerHint(s.word)
	known := hasWord(knownCrawlers(), s.word)
	crawler := known || hinted
	if !known && s.name != "" && (hinted || s.depth > 0 && hasWord(plainWords, s.word)) {
		if s.device {
			return "", rankNone
		}
		return s.name, s.rankOfCrawler(true)
	}
	if isPlatform(s.word) && !crawler {
		s.device = s.device || ascii.EqualFold(s.word, "android")
		if hasWord(weakWords, s.word) {
			return s.word, rankWeak
		}
		return "", rankNone
	}
	if crawler && s.device && !s.versioned { // the name of a telephone, such as "CUBOT"
		return "", rankNone
	}
	if crawler {
		return s.word, s.rankOfCrawler(hinted)
	}
	return s.word, s.rankOfOther()
}

func (s *headerScanner) isFirst() bool { return s.words == 1 && s.depth == 0 }

func (s *headerScanner) rankOfCrawler(hinted bool) int {
	switch {
	case s.isFirst() || s.compatible:
		return rankBoth
	case hinted:
		return rankCrawler
	}
	return rankKnown
}

func (s *headerScanner) rankOfOther() int {
	switch {
	case s.isFirst():
		return rankFirst
	case s.inPhrase:
		return rankNone
	case s.compatible: // also names that begin with no product token, such as "007ac9"
		return rankCompatible
	case !ascii.IsLetter(s.word[0]):
		return rankNone
	case s.depth == 0:
		return rankProduct
	case !s.device && (s.versioned || s.opening || s.comments > 1):
		return rankComment
	}
	return rankNone
}

// The empty word is a version too: it is the word before the "/" in "/ 1.0".
func isVersion(word string) bool {
	if len(word) > 1 && ascii.Lower(word[0]) == 'v' {
		word = word[1:]
	}
	return word == "" || !ascii.IsLetter(word[0])
}

// A link or a mail address is not a name, but often contains "bot".
func isAddress(word string) bool {
	name, _, _ := strings.Cut(word, "/")
	return strings.Contains(word, "://") || strings.Contains(name, "@") ||
		ascii.HasPrefixFold(word, "www.") || ascii.HasPrefixFold(word, "mailto:")
}

// hasCrawlerHint returns false for a word that is only a hint, such as "Bot" in "Linguee Bot".
func hasCrawlerHint(word string) bool {
	if hasWord(plainWords, word) {
		return false
	}
	for i := range len(word) {
		for _, hint := range crawlerHints {
			if ascii.HasPrefixFold(word[i:], hint) {
				return true
			}
		}
	}
	return false
}

// "Win64" is a platform, because isPlatform reads only the letters at its start.
func isPlatform(word string) bool {
	name := tokenPrefix(word)
	return hasWord(platformWords, name) || hasWord(weakWords, word) || len(name) > 7 && ascii.EqualFold(name[len(name)-7:], "browser")
}

func hasWord(list []string, word string) bool {
	_, found := slices.BinarySearchFunc(list, word, compareFold)
	return found
}

// compareFold is faster than ascii.Compare, because only s may have capital letters.
func compareFold(lowerCase, s string) int {
	for i := range min(len(lowerCase), len(s)) {
		if c := ascii.Lower(s[i]); c != lowerCase[i] {
			return int(lowerCase[i]) - int(c)
		}
	}
	return len(lowerCase) - len(s)
}

var crawlerHints = []string{"bot", "crawl", "fetch", "slurp", "spider"}

//go:embed known.txt
var knownText string

// knownCrawlers are the product tokens of package crawlers, sorted and in lower case. A test compares both lists.
var knownCrawlers = sync.OnceValue(func() []string { return strings.Fields(knownText) })

// The following lists are sorted and in lower case.

var plainWords = strings.Fields("bot bots crawl crawler fetch fetcher robot robots spider webcrawler")

// A tool such as "HeadlessChrome" is the crawler's name only if the header has no other name.
var weakWords = strings.Fields("headlesschrome http.rb phantomjs")

// In a comment after "Ubuntu" or another system, the words name a version or a device.
var systemWords = strings.Fields("centos darwin debian fedora gentoo suse ubuntu")

var platformWords = strings.Fields(`
android applewebkit arm blackberry brave browser build camino centos cfnetwork chrome
chromeframe chromium compatible configuration conkeror coolnovo cpu crios cros dalvik
darwin ddg debian docomo edg edga edge edgios electron en epiphany fban fedora fennec
firefox freebsd fxios galeon gecko gentoo gfe gsa gzip iceweasel iemobile imac intel ios
ipad iphone ipod iron kaios kddi-ca khtml kindle konqueror like linux mac macbook
macbookair macbookpro macintosh macmini macpro maxthon micromessenger midori mobile
mozilla mozzila msie namoroka net netscape nokia openbsd opera opios opr os otter palemoon
playstation ppc presto profile python qt qtwebengine quark qupzilla rekonq renderer rv
safari screen seamonkey series silk silk-accelerated smart-tv sunos suse sv symbianos
thunderbird touch trident u ubuntu unknown user-agent vendorid version via vivaldi
waterfox webkit webos whale win windows with wow wv x yowser`)
