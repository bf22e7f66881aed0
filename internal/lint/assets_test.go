package lint

import "testing"

var assetCases = []ruleCase{
	{"scripts", "User-agent: bingbot\nUser-agent: a\nDisallow: /*.js$\n", "blocks-assets", []string{"3:11 [bingbot] search engines may not load scripts such as /main.js"}},
	{"scripts with a query", "User-agent: *\nDisallow: /*.js?\nDisallow: /*.css?*\nDisallow: /a/*.css?v=*\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load scripts such as /main.js?v=2", "3:11 [] search engines may not load styles such as /main.css?v=2",
			"4:11 [] search engines may not load styles such as /a/main.css?v="}},
	{"folders", "User-agent: *\nDisallow: /css\nDisallow: */JS/*\nDisallow: /wp-content/\nDisallow: /images/\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load styles such as /css/main.css", "3:11 [] search engines may not load scripts such as /x/JS/main.js",
			"4:11 [] search engines may not load scripts such as /wp-content/themes/theme/main.js"}},
	{"patterns that are not clearly about assets", "User-agent: *\nDisallow: /b\nDisallow: /d\nDisallow: /*/system/*\nDisallow: /*.json\nDisallow: /cssi/\nDisallow: /js/admin/\nDisallow: /stat.js\nDisallow: /*?\nDisallow: .js\n", "blocks-assets", nil},
	{"not for search engines", "User-agent: GPTBot\nDisallow: /*.js$\n", "blocks-assets", nil},
	{"a crawler for images", "User-agent: Googlebot-Image\nDisallow: /js/\nDisallow: /images/\n", "blocks-images", nil},
	{"everything is disallowed, assets too", "User-agent: *\nDisallow: /\n", "blocks-assets", nil},
	{"allowed again, assets", "User-agent: *\nDisallow: /static/\nAllow: /static/js/\nAllow: /static/*.css\n", "blocks-assets", nil},
	{"not allowed again: the pattern is shorter", "User-agent: *\nDisallow: /static/\nAllow: /static/js/\nAllow: /*.css\n", "blocks-assets",
		[]string{"2:11 [] search engines may not load styles such as /static/main.css"}},
	{"images", "User-agent: *\nDisallow: /*.gif$\nDisallow: /img/\nDisallow: /js/\n", "blocks-images",
		[]string{"2:11 [] search engines may not load images such as /main.gif", "3:11 [] search engines may not load images such as /img/main.jpg"}},
}

func TestAssetRules(t *testing.T) { checkCases(t, assetCases) }
