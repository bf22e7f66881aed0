package loads

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func of(t testing.TB, page string) string {
	t.Helper()
	base, err := url.Parse("https://www.example.com/shop/index.html?x")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Resources(strings.NewReader(page), base)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "%s %s\n", r.Kind, r.URL)
	}
	return strings.TrimSpace(b.String())
}

// TestOf: what browsers load of each element, by the URL of the page or its base element.
func TestOf(t *testing.T) {
	for page, want := range map[string]string{
		"": "",
		`<script src=a.js></script><SCRIPT SRC="/b.js#x"></SCRIPT><script src="a.js">`:                                                "script https://www.example.com/shop/a.js\nscript https://www.example.com/b.js",
		`<script>"<img src=x>"</script><!-- <img src=y> --><textarea><img src=z></textarea><style><img src=s></style>`:                "",
		`<link rel="preload stylesheet" as=font href=a.css><link rel=STYLESHEET href=//cdn.example/b.css><link rel=canonical href=c>`: "other https://www.example.com/shop/a.css\nstyle https://cdn.example/b.css",
		`<link rel=preload as=script href=p.js><link rel="shortcut icon" href=f.ico><link rel=modulepreload href=m.js>`:               "script https://www.example.com/shop/p.js\nimage https://www.example.com/shop/f.ico\nscript https://www.example.com/shop/m.js",
		`<img src=" a.png " srcset="b.png 2x, c,d.png 100w,e.png"><img src=data:image/png;base64,x><img src><img src=javascript:x>`:   "image https://www.example.com/shop/a.png\nimage https://www.example.com/shop/b.png\nimage https://www.example.com/shop/c,d.png\nimage https://www.example.com/shop/e.png",
		`<picture><source srcset="a.webp, b.webp 2x"></picture><video src=v.mp4 poster=p.jpg><source src=w.webm></video>`:             "image https://www.example.com/shop/a.webp\nimage https://www.example.com/shop/b.webp\nmedia https://www.example.com/shop/v.mp4\nimage https://www.example.com/shop/p.jpg\nmedia https://www.example.com/shop/w.webm",
		`<base href="/other/"><base href="/third/"><iframe src=f.html></iframe><embed src=e><object data=o></object>`:                 "frame https://www.example.com/other/f.html\nother https://www.example.com/other/e\nother https://www.example.com/other/o",
		`<input type=image src=i.png><input src=no.png><a href=no>`:                                                                   "image https://www.example.com/shop/i.png",
		`<img src="a.png" src="b.png"><img src="http://[::1"><img src="ftp://x.example/a">`:                                           "image https://www.example.com/shop/a.png",
	} {
		if got := of(t, page); got != want {
			t.Errorf("%s:\n got %s\nwant %s", page, got, want)
		}
	}
	if _, err := Resources(iotest.ErrReader(fmt.Errorf("broken")), &url.URL{}); err == nil {
		t.Error("no error for a page that breaks off")
	}
}

// TestLimits: a page with many resources, and one without an end, are read up to a limit.
func TestLimits(t *testing.T) {
	var b strings.Builder
	for i := range maxResources + 100 {
		fmt.Fprintf(&b, "<img src=%d>", i)
	}
	if n := strings.Count(of(t, b.String()), "\n") + 1; n != maxResources {
		t.Errorf("%d resources", n)
	}
	start := time.Now()
	of(t, `<img srcset="`+strings.Repeat("a ,", 1<<20))
	of(t, strings.Repeat(`<img srcset="a,`, 1<<18))
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("hostile pages take %s", took)
	}
}
