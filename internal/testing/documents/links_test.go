package documents

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heed-robots/heed/cache"
)

var (
	links       = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	headings    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\pL\pN _-]`)
)

// TestLinks: each relative link of a document leads to a file, and each anchor to a heading.
func TestLinks(t *testing.T) {
	inRoot(t)
	count := 0
	for _, document := range documents(t) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range links.FindAllStringSubmatch(fences.ReplaceAllString(string(text), ""), -1) {
			link := m[1] + m[2] // one of both is empty
			if strings.Contains(link, "://") {
				continue
			}
			count++
			name, anchor, hasAnchor := strings.Cut(link, "#")
			target := document
			if name != "" {
				target = path.Join(path.Dir(document), name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", document, link, err)
				continue
			}
			if hasAnchor && !slices.Contains(anchors(t, target), anchor) {
				t.Errorf("%s: %s: no such heading in %s", document, link, anchors(t, target))
			}
		}
	}
	if count < 50 {
		t.Errorf("only %d links found", count)
	}
}

// anchors returns the anchors that GitHub gives the headings of a document.
func anchors(t *testing.T, document string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range headings.FindAllStringSubmatch(fences.ReplaceAllString(string(text), ""), -1) {
		anchor := notInAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(anchor, " ", "-"))
	}
	return all
}

// TestChangelogNamesRecordFormat: the changelog names the current format of cache records.
func TestChangelogNamesRecordFormat(t *testing.T) {
	inRoot(t)
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	version, _, _ := strings.Cut(string(new(cache.Record).Head()), " ")
	if want := "The records have format " + version + "."; !strings.Contains(string(text), want) {
		t.Errorf("CHANGELOG.md does not contain %q", want)
	}
}
