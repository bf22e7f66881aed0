package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// If there are no real files, made-up ones replace them. A test compares their shape with that
// of real files: the length of a line, the share of rules with wildcards, the rules of a group.

// A maker makes up files and questions.
type maker struct{ *rand.Rand }

// shapedInputs returns made-up inputs, the same at every call.
func shapedInputs() *inputs {
	m := maker{rand.New(rand.NewPCG(1, 9309))}
	in := &inputs{from: "made up, of the shape of real ones"}
	for i := range 4000 {
		const middle, spread = 9.5, 1.73 // half of the files have fewer rules; the mean is 40
		rules := min(int(middle*math.Exp(spread*m.NormFloat64())), 3000)
		in.sites = append(in.sites, m.site(fmt.Sprintf("made-up-%d.example", i), m.file(rules, 64)))
	}
	in.all = in.sites
	for i := range 206 {
		in.small = append(in.small, m.site(fmt.Sprintf("small-%d.example", i), m.file(66+m.IntN(14), 73)))
	}
	in.large = m.site("languages.example", m.languages(3129))
	in.huge = m.site("manuals.example", m.manuals(15292))
	return in
}

func (m maker) word() string { return words[m.IntN(len(words))] }

// crawlers are the names in the files, and the agents of the questions.
var crawlers = strings.Fields(`AhrefsBot Amazonbot Applebot Baiduspider Bingbot Bytespider CCBot ClaudeBot DotBot
	GPTBot Googlebot Googlebot-News MJ12bot PetalBot SemrushBot SomeUnknownBot Twitterbot YandexBot facebookexternalhit ia_archiver`)

// file returns a file with this many rules. share is the percentage of rules in the group for
// everyone; the other rules are in small groups.
func (m maker) file(rules, share int) []byte {
	var b strings.Builder
	name, size := "*", (rules*share+99)/100
	for at := 0; at < rules; {
		fmt.Fprintf(&b, "User-agent: %s\n", name)
		for range m.IntN(10) / 7 {
			fmt.Fprintf(&b, "User-agent: %s\n", crawlers[m.IntN(len(crawlers))])
		}
		for range min(size, rules-at) {
			at++
			b.WriteString(m.rule())
			if m.IntN(16) == 0 {
				fmt.Fprintf(&b, "# the %s of the %s\n", m.word(), m.word())
			}
		}
		b.WriteByte('\n')
		name, size = crawlers[m.IntN(len(crawlers))], int(2.4*m.ExpFloat64())+1
	}
	b.WriteString("Sitemap: https://www.shop.example/sitemap.xml\n")
	return []byte(b.String())
}

// rule returns a line like those of shops and blogs.
func (m maker) rule() string {
	key := "Disallow"
	if m.IntN(6) == 0 {
		key = "Allow"
	}
	w := m.word
	path := pick(m, "/"+w()+"-"+w()+"/", "/"+w()+"/"+w()+"-"+w()+"/", "/"+w()+"/"+w()+"/"+w()+"/"+w()+"/", "/"+w()+"/"+w()+"-"+w()+".php")
	if m.IntN(100) < 32 {
		path = pick(m, "/*?"+w()+"-"+w()+"=", "/*/"+w()+"/"+w()+"/", "/"+w()+"/*/"+w()+"-"+w()+"/", "/"+w()+"/*."+w()[:3]+"$", "/*&"+w()+"=*&"+w()+"=")
	}
	return key + ": " + path + "\n"
}

func pick(m maker, paths ...string) string { return paths[m.IntN(len(paths))] }

// languages returns a file of one group. It has the same rules for each section of a site in
// each language.
func (m maker) languages(rules int) []byte {
	kinds := strings.Fields(`search search/* explore/* %[1]s-resource/*/* %[1]s-paragraph/*/load-more/* %[1]s-media/*/lightbox
		%[1]s-search/*/lightbox %[1]s-listing resource/*/* %[1]s-solr/*/load-more/*/* event/*/ical`)
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range rules {
		kind, language, section := kinds[i%len(kinds)], i/len(kinds)%9, i/len(kinds)/9
		if strings.Contains(kind, "%") {
			kind = fmt.Sprintf(kind, "headquarters")
		}
		fmt.Fprintf(&b, "Disallow: /%s-%s/%s/%s\n", words[section], words[len(words)-1-section], []string{"en", "fr", "es", "ru", "ar", "zh", "de", "pt", "th"}[language], kind)
	}
	return []byte(b.String())
}

// manuals returns a file of one group with a rule for each folder of a site.
func (m maker) manuals(rules int) []byte {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for i := range rules {
		fmt.Fprintf(&b, "Disallow: /html/A%05d_%02d/\n", 80_000+i/2, 1+i%2)
	}
	return []byte(b.String())
}

// site returns a file with twelve questions. About half of them have a path made from a rule.
func (m maker) site(name string, body []byte) site {
	s := site{name: name, body: body}
	lines := strings.Split(string(body), "\n")
	for i := range 12 {
		path := fmt.Sprintf("/%s/%s-%d.html?page=%d", m.word(), m.word(), m.IntN(1000), m.IntN(9))
		if _, value, found := strings.Cut(lines[m.IntN(len(lines))], "allow: "); found && i%2 == 0 {
			path = strings.NewReplacer("*", m.word(), "$", "").Replace(value) + m.word()
		}
		s.add(crawlers[m.IntN(len(crawlers))], "https://www.shop.example"+path)
	}
	return s
}
