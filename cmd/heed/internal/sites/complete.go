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
)

// CompleteOrigins completes the URL of a site with the cached sites, in the store of --store
// if there is such a flag. An error means no completions, without a message.
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
		return urls, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp // a path may follow
	case <-ctx.Done():
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeSources completes the URL of a site, or the name of a file.
func completeSources(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	urls, directive := CompleteOrigins(c, args, typed)
	return urls, directive &^ cobra.ShellCompDirectiveNoFileComp
}

// originsLike returns the sites of a store that begin with the typed text: as URLs, or as
// hosts if the text is the beginning of a host.
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
			continue // one site cannot be read
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

// Limits of completions, since a person waits for them and reads them.
const (
	completionTimeout = 500 * time.Millisecond
	maxOrigins        = 1000
)

// CompleteCrawlers completes the last crawler of a value of -a: the tokens of known crawlers,
// or after "@" also the sets of known crawlers. For "GPTBot,goo" it returns
// "GPTBot,googlebot" and others.
func CompleteCrawlers(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	at := ""
	var words []string
	add := func(name, about string) {
		word := before + name
		if len(word) < len(typed) || !strings.EqualFold(word[:len(typed)], typed) {
			return
		}
		word = typed + word[len(typed):] // shells compare it with the typed letters, so their case stays
		if before == "" {                // after a comma, the script of bash fails with a description
			word += "\t" + about
		}
		words = append(words, word)
	}
	if strings.HasPrefix(typed[len(before):], "@") {
		at = "@"
		add("@known", "all known crawlers")
		for _, p := range crawlers.Purposes() {
			add("@"+string(p), "all known crawlers for "+string(p))
		}
	}
	for c := range crawlers.Known().All() {
		add(at+c.Token, c.Operator)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
