package robotstxt

import "strings"

// knownCrawlers are the tokens of the table of package crawlers, which this package does not
// import: sorted and lower-case. A test of crawlers compares the two.
var knownCrawlers = strings.Fields(`
008 360spider adidxbot ads-naver adsbot-google adsbot-google-mobile ahrefsbot
ahrefssiteaudit ai2bot ai2bot-dolma amazon-qbusiness amazonadbot amazonbot amzn-searchbot
amzn-user andibot anthropic-ai apis-google applebot applebot-extended archive.org_bot
arquivo-web-crawler baiduspider baiduspider-ads baiduspider-cpro baiduspider-image
baiduspider-news baiduspider-video barkrowler bazqux bedrockbot betteruptimebot bingbot
bingpreview bingvideopreview blexbot blueno bnf.fr_bot botify bravebot bubing bytespider
ccbot censysinspect chatgpt-user chrome-lighthouse claude-searchbot claude-user claude-web
claudebot cloudflare-autorag coccocbot coccocbot-ads coccocbot-fast coccocbot-image
coccocbot-shopping coccocbot-web cohere-ai cohere-training-data-crawler cotoyogi criteobot
dataforseobot datanyze daumoa deepcrawl deepseekbot devin diffbot diffbot-user discordbot
dotbot duckassistbot duckduckbot embedly exabot facebookbot facebookcatalog
facebookexternalhit feedbin feedfetcher-google feedly firecrawlagent freshrss
gemini-deep-research gigabot google-agent google-cloudvertexbot google-cws google-extended
google-gemininotebook google-inspectiontool google-notebooklm google-read-aloud
google-safety google-site-verification googleagent-mariner googleagent-urlcontext
googlebot googlebot-image googlebot-news googlebot-video googleother googleother-image
googleother-video gptbot grapeshotcrawler heritrix hubspot ia_archiver icc-crawler ichiro
iframely imagesiftbot img2dataset inoreader internetmeasurement istellabot itms
kagi-fetcher kagibot kimi-user laiondownloader linerbot linespider linkedinbot
magpie-crawler mail.ru_bot manus-user mastodon mediapartners-google meta-externalads
meta-externalagent meta-externalfetcher meta-webindexer microsoftpreview miniflux
mistralai-index mistralai-training mistralai-user mj12bot mojeekbot msnbot neevabot
netcraftsurveyagent newsblur novaact oai-adsbot oai-searchbot omgili oncrawl pangubot
peer39_crawler perplexity-user perplexitybot petalbot phindbot pingdom.com_bot
pinterestbot proximic qwantbot qwantify redditbot rogerbot rytebot sbintuitionsbot
screaming seekportbot semanticscholarbot semrushbot semrushbot-ba semrushbot-ocob
semrushbot-sa semrushbot-si semrushbot-swa seokicks serpstatbot seznambot
seznamhomepagecrawler shap-user shapbot sistrix site24x7 siteauditbot skypeuripreview
slack-imgproxy slackbot slackbot-linkexpanding slurp sogou statuscake_uptime_checker
storebot-google tavilybot telegrambot tiktokspider timpibot tongyibot trendictionbot
ttd-content turnitinbot twitterbot uptimerobot voltron w3c_validator webzio-extended
whatsapp yandex yandexadditional yandexadditionalbot yandexblogs yandexbot yandexdirect
yandexfavicons yandeximages yandexmedia yandexmobilebot yandexvideo yeti youbot`)

// otherName is a name of the table that a crawler has in its requests instead of its token. The
// name begins with the token, which has that length.
type otherName struct {
	name  string
	token int
}

var otherNames = []otherName{{"duckduckbot-https", len("duckduckbot")}}
