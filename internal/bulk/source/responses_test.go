package source_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/heed-robots/heed/internal/bulk/source"
	"github.com/heed-robots/heed/internal/testing/portion"
	"github.com/heed-robots/heed/usage"
)

const isPage = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

// responsesIn returns what the responses of a file say about their use, and why others cannot be used.
func responsesIn(t *testing.T, path string) (all []string) {
	t.Helper()
	r, err := source.OpenResponses(path, new(atomic.Int64))
	if err != nil {
		return []string{"file: " + err.Error()}
	}
	defer r.Close()
	policy := usage.New(nil, usage.Options{}, "a")
	for response := range r.All() {
		page, err := response.Read()
		switch text := policy.Check("/", true, page.Response).String(); {
		case err != nil:
			all = append(all, "rejected: "+err.Error())
		default:
			all = append(all, page.URL+" "+text)
		}
	}
	if err := r.Err(); err != nil {
		all = append(all, "end: "+err.Error())
	}
	return all
}

// AI-9, AI-14, AI-17: what the headers and the first 64 KiB of a page say, in each coding in which archives have it.
func TestResponsesSay(t *testing.T) {
	const meta = "<!DOCTYPE html><meta name=robots content=noai>"
	filler := strings.Repeat("x", usage.MaxHTML-len(meta))
	long := strings.Repeat("X-Filler: x\r\n", 30_000)
	for _, c := range []struct{ name, block, want string }{
		{"a page", isPage + "\r\n" + meta, "train-ai=n"},
		{"xhtml", "HTTP/1.1 200 OK\r\ncontent-type:  APPLICATION/xhtml+xml ; charset=x\r\n\r\n" + meta, "train-ai=n"},
		{"no page", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + meta, ""},
		{"no type", "HTTP/1.1 200 OK\r\n\r\n" + meta, ""},
		{"64 KiB", isPage + "\r\n" + filler + meta, "train-ai=n"},
		{"behind 64 KiB", isPage + "\r\n" + filler + " " + meta, ""},
		{"gzip", isPage + "Content-Encoding: gzip\r\n\r\n" + zipped(filler+meta), "train-ai=n"},
		{"gzip, much more", isPage + "Content-Encoding: gzip\r\n\r\n" + zipped(meta+strings.Repeat("x", 10<<20)), "train-ai=n"},
		{"brotli", isPage + "Content-Encoding: br\r\n\r\n" + brotlied(meta), "train-ai=n"},
		{"zstd", isPage + "Content-Encoding: zstd\r\n\r\n" + zstandard(t, meta), "train-ai=n"},
		{"stored decoded", isPage + "Content-Encoding: gzip\r\n\r\n" + meta, "train-ai=n"},
		{"chunks", isPage + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + meta[:5] + "\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(meta)-5, meta[5:]), "train-ai=n"},
		{"chunks of gzip", isPage + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(zipped(meta)), zipped(meta)), "train-ai=n"},
		{"headers", "HTTP/1.1 404 x\r\nX-ROBOTS-TAG: noindex\r\nx-robots-tag: b: none\r\ncontent-usage: train-ai=y,\r\n ai-use=n\r\n\r\n", "train-ai=y, search=n, ai-use=n"},
		{"TDMRep", isPage + "TDM-Reservation: 1\r\nTDM-Policy: https://a.example/\r\n\r\n<meta name=tdm-reservation content=0>", ""},
		{"no gzip", isPage + "Content-Encoding: gzip\r\n\r\n" + strings.Repeat("x", 50), `rejected: body: the body cannot be decoded as "gzip"`},
		{"gzip is cut", isPage + "Content-Encoding: gzip\r\n\r\n" + zipped(meta)[:20], "rejected: body: the end of the compressed body is missing"},
		{"unknown coding", isPage + "Content-Encoding: exi\r\n\r\nxxx", `rejected: body: the body is encoded as "exi"`},
		{"headers of more than 256 KiB", isPage + long + "\r\n" + meta, "rejected: the HTTP response in the WARC record ends before the end of its headers, so heed does not use it"},
	} {
		for form, text := range map[string]string{"plain": string(record(1, "http://a.example/1", c.block)), "gzip": zipped(string(record(1, "http://a.example/1", c.block)))} {
			dir := write(t, map[string]string{"w": text})
			got := strings.TrimPrefix(strings.Join(responsesIn(t, filepath.Join(dir, "w")), "; "), "http://a.example/1 ")
			if got != c.want && (!strings.HasPrefix(c.want, "rejected") || !strings.HasPrefix(got, c.want)) {
				t.Errorf("%s, %s: %.300q, want %q", c.name, form, got, c.want)
			}
		}
	}
	cut := string(record(1, "http://a.example/1", isPage+"Content-Encoding: gzip\r\n\r\n"+zipped(meta + strings.Repeat("x", 1000))[:60], "WARC-Truncated: length\r\n"))
	if got := responsesIn(t, filepath.Join(write(t, map[string]string{"w": cut}), "w")); fmt.Sprint(got) != "[http://a.example/1 train-ai=n]" {
		t.Errorf("a page that the archive cut: %q", got)
	}
	revisits := ""
	for _, block := range []string{"HTTP/1.1 200 OK\r\nX-Robots-Tag: noai\r\nContent-Type: image/png\r\n\r\n", isPage + "\r\n", "HTTP/1.1 304 x\r\n\r\n", ""} {
		revisits += strings.Replace(string(record(1, "http://a.example/1", block)), "WARC-Type: response", "WARC-Type: revisit", 1)
	}
	got := responsesIn(t, filepath.Join(write(t, map[string]string{"w": revisits}), "w"))
	if len(got) != 4 || got[0] != "http://a.example/1 train-ai=n" || strings.Count(fmt.Sprint(got), "rejected: the record is a revisit") != 3 {
		t.Errorf("revisits: %q", got)
	}
}

// A record whose end is damaged, behind what is used of it, is rejected and not used.
func TestResponsesDamagedAtTheEnd(t *testing.T) {
	var noise strings.Builder
	for range 1 << 17 {
		fmt.Fprintf(&noise, "%x", rand.Uint32())
	}
	torn := []byte(zipped(string(record(1, "http://a.example/1", isPage+"\r\n"+noise.String()))))
	torn[len(torn)-7]++ // of the check sum
	dir := write(t, map[string]string{"w": string(torn) + zipped(string(record(2, "http://a.example/2", isPage+"\r\n")))})
	got := responsesIn(t, filepath.Join(dir, "w"))
	if len(got) != 2 || !strings.HasPrefix(got[0], "rejected: gzip") || got[1] != "http://a.example/2 " {
		t.Errorf("%q", got)
	}
}

// No bytes make reading fail or panic, each record is told once at most, and a second reading, as of a run that goes on, is the same.
func TestResponsesOfHostileFiles(t *testing.T) {
	var plain, members string
	for i, block := range []string{isPage + "\r\n<meta name=robots content=noai>", isPage + "Content-Encoding: gzip\r\n\r\n" + zipped("<meta name=robots content=noindex>"), "HTTP/1.1 200 x\r\nContent-Usage: search=y\r\n\r\n",
		isPage + "Transfer-Encoding: chunked\r\n\r\n5\r\n<meta\r\n0\r\n\r\n", isPage + "Content-Encoding: br\r\n\r\n" + brotlied("<p>")} {
		text := string(record(i, fmt.Sprintf("http://h%d.example/", i), block))
		plain, members = plain+text, members+zipped(text)
	}
	files := 600
	if portion.Whole() {
		files *= 50
	}
	random := rand.New(rand.NewPCG(rand.Uint64(), 1))
	used := 0
	for n := range files {
		text := []byte([]string{plain, members, zipped(plain), zstandard(t, plain)}[n%4])
		for range random.IntN(4) {
			at := random.IntN(len(text))
			switch random.IntN(3) {
			case 0:
				text[at] = byte(random.Uint32())
			case 1:
				text = text[:at+1]
			case 2:
				text = append(text[:at:at], text[random.IntN(len(text)):]...)
			}
			if len(text) == 0 {
				break
			}
		}
		path := filepath.Join(write(t, map[string]string{"w": string(text)}), "w")
		got := responsesIn(t, path)
		if again := responsesIn(t, path); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Fatalf("first %q, then %q", got, again)
		}
		if len(got) > 40 {
			t.Errorf("%d responses: %q", len(got), got)
		}
		for _, text := range got {
			if strings.HasPrefix(text, "http://h") {
				used++
			}
		}
	}
	if used < files {
		t.Errorf("%d responses of %d files are used: the test tests nothing", used, files)
	}
}
