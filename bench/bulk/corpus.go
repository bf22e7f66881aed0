package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/heed-robots/heed/internal/corpus"
	"github.com/heed-robots/heed/origin"
)

// A host is a site with its robots.txt and its URLs.
type host struct {
	name   string
	robots []byte
	paths  []string // with queries; nil: the corpus has no URLs of the host
}

// readHosts returns the hosts of the corpus, sorted, and the paths of all of them.
func readHosts() (hosts []*host, paths []string, err error) {
	folder := os.Getenv(corpus.Variable)
	fileOf, err := filesOfHosts(filepath.Join(folder, "manifest.tsv.gz"))
	if err != nil {
		return nil, nil, err
	}
	byFile, byName := map[string]*host{}, map[string]*host{}
	for name, file := range fileOf {
		h := &host{name: name}
		byFile[file], byName[name] = h, h
	}
	err = corpus.Read(filepath.Join(folder, "robots-txt.tar.gz"), func(name string, data []byte) bool {
		if h := byFile[path.Base(name)]; h != nil {
			h.robots = data
			hosts = append(hosts, h)
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	err = corpus.Read(filepath.Join(folder, "urls.tar.gz"), func(name string, data []byte) bool {
		h := cmp.Or(byName[strings.TrimSuffix(path.Base(name), ".txt")], &host{})
		for line := range strings.Lines(string(data)) {
			h.paths = append(h.paths, pathOf(strings.TrimSpace(line)))
		}
		paths = append(paths, h.paths...)
		return true
	})
	slices.SortFunc(hosts, func(a, b *host) int { return strings.Compare(a.name, b.name) })
	return hosts, paths, err
}

// filesOfHosts returns the name of the file of each host. Of several files of a host it is the one with
// the name of the host, or else the first.
func filesOfHosts(manifest string) (map[string]string, error) {
	f, err := os.Open(manifest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	rows := bufio.NewScanner(text)
	for rows.Scan() {
		row := strings.Split(rows.Text(), "\t")
		if len(row) < 7 {
			return nil, errors.New("manifest.tsv.gz: expected at least 7 columns in each row")
		}
		file, name, category := row[0], row[5], row[6]
		if o, err := origin.Parse("https://" + name); category != "crawl" || err != nil || o.String() != "https://"+name {
			continue
		}
		if files[name] == "" || file == name+".txt" {
			files[name] = file
		}
	}
	return files, rows.Err()
}

// pathOf returns the path and query of a URL; "/" if JSON would need escapes for them.
func pathOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || !utf8.ValidString(text) || strings.ContainsAny(text, "\"\\\t ") {
		return "/"
	}
	return u.RequestURI()
}
