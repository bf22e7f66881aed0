package sites

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/heed-robots/heed/cmd/heed/internal/term"
	"github.com/heed-robots/heed/crawlers"
	"github.com/heed-robots/heed/internal/crawlernames"
)

// CompleteOrigins suggests the cached sites while a user types a URL. It prints no errors.
func CompleteOrigins(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	where := ""
	if flag := c.Flags().Lookup("store"); flag != nil {
		where = flag.Value.String()
	}
	found := make(chan []string, 1)
	ctx, cancel := context.WithTimeout(context.Background(), completionTimeout)
	defer cancel()
	go func() { found <- originsLike(ctx, where, typed) }()
	select {
	case urls := <-found:
		return urls, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp // no space after the URL, because a path may follow
	case <-ctx.Done():
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeSources(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	urls, directive := CompleteOrigins(c, args, typed)
	return urls, directive &^ cobra.ShellCompDirectiveNoFileComp
}

func originsLike(ctx context.Context, where, typed string) []string {
	quiet := &term.Terminal{Err: io.Discard}
	store, closeStore, err := OpenStore(quiet, where, false, nil)
	if err != nil {
		return nil
	}
	defer closeStore()
	var urls []string
	for site, err := range store.Origins(ctx) {
		if ctx.Err() != nil || len(urls) == maxOrigins {
			break
		}
		if err != nil {
			continue // one site that cannot be read does not matter
		}
		url := site.String() + "/"
		host, isHTTPS := strings.CutPrefix(url, "https://")
		switch {
		case strings.HasPrefix(url, typed):
			urls = append(urls, url)
		case isHTTPS && strings.HasPrefix(host, typed):
			urls = append(urls, host)
		}
	}
	slices.Sort(urls)
	return slices.Compact(urls)
}

// These limits are small, because a person waits for the completions and reads them.
const (
	completionTimeout = 500 * time.Millisecond
	maxOrigins        = 1000
)

// CompleteCrawlers suggests names for the last crawler in -a. For example, "GPTBot,goo" becomes "GPTBot,googlebot".
func CompleteCrawlers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	sign := ""
	var words []string
	add := func(name, about string) {
		word := before + name
		if len(word) < len(typed) || !strings.EqualFold(word[:len(typed)], typed) {
			return
		}
		word = typed + word[len(typed):] // the shell compares the words with what was typed, so typed letters keep their case
		if before == "" {                // after a comma, bash cannot use a word with a description
			word += "\t" + about
		}
		words = append(words, word)
	}
	if strings.HasPrefix(typed[len(before):], "@") {
		sign = "@"
		add("@known", "all known crawlers")
		for _, name := range crawlernames.PurposeNames() {
			add("@"+name, "all known crawlers for "+name)
		}
	}
	for c := range crawlers.Known().All() {
		add(sign+c.Token, c.Operator)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
