package ranges

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/ascii"
	"github.com/heed-robots/heed/internal/printable"
)

// A Folder has lists of addresses, from files such as GPTBot.json. The name of an older list has its date:
// GPTBot@2026-05-03.json.
type Folder struct {
	lists   map[string][]*List // of each crawler, the earliest first; for the keys, see keyOf
	Strange []string           // the names of lists whose crawler is not in the table
}

const maxList = 16 << 20

// A file that cannot be read is an error: without the list, heed would not find impostors of the crawler.
func Read(folder string, table *crawlers.Table) (*Folder, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	f := &Folder{lists: map[string][]*List{}}
	var wrong []error
	for _, entry := range entries {
		extension := strings.ToLower(filepath.Ext(entry.Name()))
		if entry.IsDir() || !slices.Contains([]string{".json", ".txt", ".csv"}, extension) || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		name := strings.TrimSuffix(entry.Name(), filepath.Ext(entry.Name()))
		name, date, isDated := strings.Cut(name, "@")
		list, err := readFile(filepath.Join(folder, entry.Name()))
		if err == nil && isDated {
			if list.Dated = readTime(date); list.Dated.IsZero() {
				err = fmt.Errorf("%s: expected a day after \"@\" in the name of the file, such as %s@2026-05-03%s", entry.Name(), name, extension)
			}
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		list.Name = entry.Name()
		key := keyOf(name, table)
		if key == "" { // the table does not have this crawler
			key = ascii.ToLower(name)
			f.Strange = append(f.Strange, name)
		}
		f.lists[key] = append(f.lists[key], list)
	}
	for _, all := range f.lists {
		slices.SortStableFunc(all, func(a, b *List) int { return a.Dated.Compare(b.Dated) })
	}
	if len(wrong) == 0 && len(f.lists) == 0 {
		wrong = append(wrong, fmt.Errorf("%s: the folder has no list of addresses; expected files such as GPTBot.json, in the form in which the operator publishes them", folder))
	}
	if len(wrong) > 1 {
		return nil, fmt.Errorf("%w; and %s more cannot be read", wrong[0], printable.Counted(len(wrong)-1, "file"))
	}
	return f, errors.Join(wrong...)
}

func readFile(name string) (*List, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxList {
		return nil, fmt.Errorf("%s is larger than %d MiB; expected a list of addresses, which is smaller", name, maxList>>20)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// The name of a file is the name of a crawler, or the last part of the URL of an operator's list. In the second case, the
// key is the URL in "<>".
func keyOf(name string, table *crawlers.Table) string {
	if c, ok := table.Named(name); ok {
		return ascii.ToLower(c.Token)
	}
	for c := range table.All() {
		if file := fileOf(c); file != "" && ascii.EqualFold(file, name) {
			return "<" + c.Ranges + ">"
		}
	}
	return ""
}

func fileOf(c crawlers.Crawler) string {
	file := path.Base(c.Ranges)
	if c.Ranges == "" {
		return ""
	}
	return strings.TrimSuffix(file, path.Ext(file))
}

// ListsFor returns the lists of a crawler. If the folder has none for it, ListsFor returns the lists of another crawler for
// which the same operator publishes the same list.
func (f *Folder) ListsFor(c crawlers.Crawler, table *crawlers.Table) Lists {
	if all := f.lists[ascii.ToLower(c.Token)]; len(all) > 0 {
		return all
	}
	if c.Ranges == "" {
		return nil
	}
	if all := f.lists["<"+c.Ranges+">"]; len(all) > 0 {
		return all
	}
	for other := range table.All() {
		if other.Ranges == c.Ranges {
			if all := f.lists[ascii.ToLower(other.Token)]; len(all) > 0 {
				return all
			}
		}
	}
	return nil
}

// Lists are the lists of one crawler, the earliest first.
type Lists []*List

// At returns the last list before t. If all lists are later, it returns the first list and true. If there are no
// lists, it returns nil.
func (all Lists) At(t time.Time) (list *List, isLater bool) {
	i := sort.Search(len(all), func(i int) bool { return all[i].Dated.After(t) })
	switch {
	case len(all) == 0:
		return nil, false
	case i == 0:
		return all[0], true
	}
	return all[i-1], false
}
