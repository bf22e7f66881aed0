package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// An input is a robots.txt with URLs to check.
type input struct {
	name    string
	body    []byte
	hit     string // a URL for which a rule near the end of the file decides
	miss    string // a URL that no rule matches
	encoded string // like miss, with escapes that must be normalised
}

var words = strings.Fields(`about account admin api archive author basket blog brand cart category checkout comment
	compare contact customer download events feed files filter forum gallery help images includes item legal list login
	mail map member news order page partner press print private product profile review sale search session shop sort
	static stock store support tag terms theme tmp track user video wishlist`)

// makeFile returns a file with this many rules, like those of shops and blogs. wildcards is the
// percentage of rules with wildcards. Equal arguments return equal files.
func makeFile(name string, rules, wildcards int) input {
	r := rand.New(rand.NewPCG(9309, uint64(rules)))
	word := func() string { return words[r.IntN(len(words))] }
	var b strings.Builder
	b.WriteString("# robots.txt of an imaginary shop\n\nUser-agent: *\n")
	in := input{name: name}
	for i := range rules {
		key := "Disallow: "
		if r.IntN(5) == 0 {
			key = "Allow: "
		}
		path := fmt.Sprintf("/%s/%s-%s/%s-%d/", word(), word(), word(), word(), i)
		if r.IntN(100) < wildcards {
			switch r.IntN(4) {
			case 0:
				path = fmt.Sprintf("/*?%s%d=", word(), i)
			case 1:
				path = fmt.Sprintf("/%s/*/%s%d", word(), word(), i)
			case 2:
				path = fmt.Sprintf("/*.%s%d$", word()[:3], i)
			case 3:
				path = fmt.Sprintf("/*/%s-%d/", word(), i)
			}
		} else if i >= rules*3/4 && in.hit == "" {
			in.hit = path + "index.html?page=2"
		}
		fmt.Fprintf(&b, "%s%s\n", key, path)
		if i%6 == 5 {
			fmt.Fprintf(&b, "\n# Nobody needs the %s and the %s of a %s in an index.\n", word(), word(), word())
		}
	}
	b.WriteString("\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nSitemap: https://shop.example/sitemap.xml\n")
	in.body = []byte(b.String())
	in.miss = "/product/blue-suede-shoes/size-42.html"
	in.encoded = "/product/blue%2dsuede-shoes/gr%c3%b6%c3%9fe-42.html"
	return in
}

var (
	typical = makeFile("typical", 60, 25)
	large   = makeFile("3,000 rules", 3000, 25)
	largest = makeFile("8,000 rules", 8000, 25)
)

// hostileInputs are files of 500 KiB for which some matchers take very long, each with a URL
// of up to 8 KiB.
var hostileInputs = []input{
	hostileFile("thousand stars", "Disallow: /"+strings.Repeat("*a", 1000)+"*%d\n", strings.Repeat("a", 8<<10)),
	hostileFile("short wildcards", "Disallow: /*%06db\n", strings.Repeat("0123456789ab/", 630)),
	hostileFile("15,000 agents, 15,000 rules", "", "x"),
	hostileFile("one line", "", strings.Repeat("a", 8<<10)),
}

func hostileFile(name, rule, path string) input {
	const size = 500 << 10
	var b strings.Builder
	switch name {
	case "one line":
		b.WriteString("User-agent: *\nDisallow: /" + strings.Repeat("*a", size/2-20) + "b\n")
	case "15,000 agents, 15,000 rules":
		for i := range 15_000 {
			fmt.Fprintf(&b, "User-agent:%s\n", letters(i))
		}
		b.WriteString("User-agent: *\n")
		for i := range 15_000 {
			fmt.Fprintf(&b, "Disallow:/%d\n", i)
		}
	default:
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < size-len(rule)-10; i++ {
			fmt.Fprintf(&b, rule, i)
		}
	}
	return input{name: name, body: []byte(b.String()), miss: "/" + path}
}

// letters returns a number written in letters, since a product token has no digits.
func letters(i int) string {
	var s []byte
	for range 4 {
		s = append(s, byte('a'+i%26))
		i /= 26
	}
	return string(s)
}
