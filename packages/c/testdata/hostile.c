/* Hostile calls through heed.h. Each check that fails is printed; the exit status is then 1. */
#define _POSIX_C_SOURCE 200809L
#include <heed.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "hostile.c:%d: %s\n", __LINE__, #truth); \
			failures++; \
		} \
	} while (0)

#define TEXT(text) text, sizeof(text) - 1
#define HUGE_LENGTH ((size_t)-1)

static const heed_decision filled = {77, 1, 77, 77};

static int is_nothing(heed_decision d) {
	return d.line == 0 && d.allowed == 0 && d.reason == HEED_REASON_UNDECIDED && d.reserved == 0;
}

/* is_error returns whether the code and the error are both the wanted one, and the error has a message. */
static int is_error(int code, int want, const heed_error *error) {
	return code == want && error->code == want && error->message[0] != '\0' && strlen(error->message) < sizeof error->message;
}

static heed_handle parse(const char *body, size_t length) {
	heed_handle file = 0;
	heed_error error;
	int code = heed_parse(body, length, NULL, 0, &file, &error);
	if (code != HEED_OK || error.code != HEED_OK || error.message[0] != '\0' || file == 0) {
		fprintf(stderr, "parse: %d %s\n", code, error.message);
		exit(1);
	}
	return file;
}

static heed_handle agent(heed_handle file, const char *token) {
	heed_handle policy = 0;
	heed_error error;
	size_t length = strlen(token);
	if (heed_agent(file, token, length, &length, 1, &policy, &error) != HEED_OK || policy == 0) {
		fprintf(stderr, "agent: %s\n", error.message);
		exit(1);
	}
	return policy;
}

static heed_decision check(heed_handle policy, const char *url, size_t length) {
	heed_decision d = filled;
	heed_error error;
	CHECK(heed_check(policy, url, length, &d, &error) == HEED_OK && error.code == HEED_OK && d.reserved == 0);
	return d;
}

static const char shop[] = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\n";

/* Arguments that are not allowed, one at a time. All results are filled before each call, to see that it clears them. */
static void arguments(void) {
	heed_handle file = parse(TEXT(shop)), policy = agent(file, "ExampleBot"), made;
	heed_decision d, all[2];
	heed_text json;
	heed_error error;
	size_t lengths[2] = {5, 5};

	made = 7;
	CHECK(is_error(heed_parse(NULL, 1, NULL, 0, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_parse("", HUGE_LENGTH, NULL, 0, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_parse(TEXT(shop), NULL, 6, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_parse(TEXT(shop), TEXT("rfc\0" "9309\xff"), &made, &error), HEED_ARGUMENT, &error) && made == 0);
	CHECK(is_error(heed_parse(TEXT(shop), NULL, 0, NULL, &error), HEED_ARGUMENT, &error));

	made = 7;
	CHECK(is_error(heed_agent(file, NULL, 3, lengths, 1, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_agent(file, "abc", 3, NULL, 1, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_agent(file, "abc", 3, lengths, 1, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_agent(file, "abcdefgh", 8, lengths, 1, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_agent(file, "abc", 3, lengths, HUGE_LENGTH, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	made = 7;
	CHECK(is_error(heed_agent(file, "abcde", HUGE_LENGTH >> 2, lengths, 1, &made, &error), HEED_ARGUMENT, &error) && made == 0);
	CHECK(is_error(heed_agent(file, "abcde", 5, lengths, 1, NULL, &error), HEED_ARGUMENT, &error));

	d = filled;
	CHECK(is_error(heed_check(policy, NULL, 1, &d, &error), HEED_ARGUMENT, &error) && is_nothing(d));
	d = filled;
	CHECK(is_error(heed_check(policy, "/", HUGE_LENGTH, &d, &error), HEED_ARGUMENT, &error) && is_nothing(d));
	d = filled;
	CHECK(heed_check(policy, NULL, 1, &d, NULL) == HEED_ARGUMENT && is_nothing(d));
	CHECK(is_error(heed_check(policy, "/", 1, NULL, &error), HEED_ARGUMENT, &error));

	all[0] = all[1] = filled;
	CHECK(is_error(heed_check_all(policy, "/open/cart", 9, lengths, 2, all, &error), HEED_ARGUMENT, &error));
	CHECK(is_nothing(all[0]) && is_nothing(all[1]));
	all[0] = all[1] = filled;
	CHECK(is_error(heed_check_all(policy, "/open/cart+", 11, lengths, 2, all, &error), HEED_ARGUMENT, &error));
	CHECK(is_nothing(all[0]) && is_nothing(all[1]));
	lengths[1] = HUGE_LENGTH - 4; /* the sum of the lengths is 0 if it overflows */
	all[0] = all[1] = filled;
	CHECK(is_error(heed_check_all(policy, "/open/cart", 10, lengths, 2, all, &error), HEED_ARGUMENT, &error));
	CHECK(is_nothing(all[0]) && is_nothing(all[1]));
	lengths[1] = 5;
	all[0] = all[1] = filled;
	CHECK(is_error(heed_check_all(policy, NULL, 10, lengths, 2, all, &error), HEED_ARGUMENT, &error) && is_nothing(all[1]));
	CHECK(is_error(heed_check_all(policy, "/open/cart", 10, lengths, 2, NULL, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_check_all(policy, "/", 1, lengths, HUGE_LENGTH, all, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_check_all(policy, "/", 1, lengths, HUGE_LENGTH / sizeof *lengths + 2, all, &error), HEED_ARGUMENT, &error));
	CHECK(heed_check_all(policy, NULL, 0, NULL, 0, NULL, &error) == HEED_OK);
	CHECK(heed_check_all(policy, "/open/cart", 10, lengths, 2, all, &error) == HEED_OK);
	CHECK(all[0].allowed == 1 && all[0].line == 0 && all[1].allowed == 0 && all[1].line == 2);

	json.data = "x", json.length = 1;
	CHECK(is_error(heed_explain(policy, NULL, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL && json.length == 0);
	CHECK(is_error(heed_explain(policy, "/", 1, NULL, &error), HEED_ARGUMENT, &error));
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_lint(NULL, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL && json.length == 0);
	CHECK(is_error(heed_lint(NULL, 0, NULL, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_show(policy, NULL, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_crawlers(NULL, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_crawl_delay(policy, NULL, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_sitemaps(file, NULL, &error), HEED_ARGUMENT, &error));
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_diff(file, file, "a b", 3, lengths, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_diff(file, file, "abcde", HUGE_LENGTH >> 2, lengths, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	CHECK(is_error(heed_diff(file, file, NULL, 0, NULL, 0, NULL, &error), HEED_ARGUMENT, &error));
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_requested(policy, NULL, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL && json.length == 0);
	CHECK(is_error(heed_requested(policy, "/", 1, NULL, &error), HEED_ARGUMENT, &error));
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_refusal(200, NULL, 1, "", 0, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL && json.length == 0);
	CHECK(is_error(heed_refusal(200, "", 0, NULL, 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	CHECK(is_error(heed_refusal(200, "", 0, "", 0, NULL, &error), HEED_ARGUMENT, &error));
	heed_free(NULL);
	CHECK(heed_close(policy, NULL) == HEED_OK && heed_close(file, NULL) == HEED_OK);
}

/* Handles that are closed, of the other kind, and that never were. */
static void handles(void) {
	heed_handle file = parse(TEXT(shop)), policy = agent(file, "ExampleBot"), made;
	static const heed_handle never[] = {0, 1, 0xfffffff, 0x10000000ull << 25, UINT64_MAX, UINT64_MAX >> 1};
	heed_decision d;
	heed_error error;
	heed_text json;
	double seconds = 7;
	size_t i, length = 3;

	d = filled;
	CHECK(is_error(heed_check(file, "/", 1, &d, &error), HEED_KIND, &error) && is_nothing(d));
	made = 7;
	CHECK(is_error(heed_agent(policy, "abc", 3, &length, 1, &made, &error), HEED_KIND, &error) && made == 0);
	CHECK(is_error(heed_show(file, &json, &error), HEED_KIND, &error) && json.data == NULL);
	CHECK(is_error(heed_crawl_delay(file, &seconds, &error), HEED_KIND, &error) && seconds == -1);
	json.data = "x", json.length = 1;
	CHECK(is_error(heed_sitemaps(policy, &json, &error), HEED_KIND, &error) && json.data == NULL && json.length == 0);
	CHECK(is_error(heed_explain(file, "/", 1, &json, &error), HEED_KIND, &error) && json.data == NULL);
	CHECK(is_error(heed_requested(file, "/", 1, &json, &error), HEED_KIND, &error) && json.data == NULL);
	CHECK(is_error(heed_diff(policy, file, NULL, 0, NULL, 0, &json, &error), HEED_KIND, &error) && json.data == NULL);
	for (i = 0; i < sizeof never / sizeof *never; i++) {
		d = filled;
		CHECK(is_error(heed_check(never[i], "/", 1, &d, &error), HEED_CLOSED, &error) && is_nothing(d));
		CHECK(is_error(heed_close(never[i], &error), HEED_CLOSED, &error));
	}
	CHECK(heed_close(file, &error) == HEED_OK && error.code == HEED_OK);
	CHECK(check(policy, "/cart", 5).line == 2); /* a policy outlives its file */
	CHECK(heed_explain(policy, "/cart", 5, &json, &error) == HEED_OK && json.data[0] == '{');
	heed_free(&json);
	CHECK(heed_usage(policy, "/cart", 5, NULL, 0, &json, &error) == HEED_OK && strstr(json.data, "\"preference\":\"not-crawlable\"") != NULL);
	heed_free(&json);
	CHECK(heed_usage(policy, "/x", 2, "{\"for\":[\"search\"],\"headers\":{\"X-Robots-Tag\":\"noindex\"}}", 55, &json, &error) == HEED_OK &&
	      strstr(json.data, "{\"search\":{\"preference\":\"disallowed\",") != NULL);
	heed_free(&json);
	CHECK(is_error(heed_usage(policy, "/x", 2, "{", 1, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	CHECK(is_error(heed_usage(policy, "/x", 2, NULL, 1, &json, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_usage(policy, NULL, 1, NULL, 0, &json, &error), HEED_ARGUMENT, &error));
	made = 7;
	CHECK(is_error(heed_agent(file, "abc", 3, &length, 1, &made, &error), HEED_CLOSED, &error) && made == 0);
	CHECK(is_error(heed_close(file, &error), HEED_CLOSED, &error));
	CHECK(heed_close(policy, NULL) == HEED_OK);
	for (i = 0; i < 1000; i++) { /* new objects do not get an old handle */
		made = parse(TEXT(shop));
		d = filled;
		CHECK(heed_check(policy, "/", 1, &d, NULL) == HEED_CLOSED && is_nothing(d));
		CHECK(heed_close(made, NULL) == HEED_OK);
	}
	CHECK(heed_close(policy, NULL) == HEED_CLOSED);
}

/* Texts with any bytes. */
static void bytes(void) {
	static const char odd[] = "User-agent: *\nDisallow: /a\0b\nDisallow: /\xff\xfe\nDisallow: /%ED%A0%80\n";
	heed_handle file = parse(TEXT(odd)), policy = agent(file, "ExampleBot"), none;
	heed_text json;
	heed_error error;
	char large[4000];
	size_t lengths[3] = {3, 0, 2};

	CHECK(check(policy, TEXT("/a\0b")).line == 2);
	CHECK(check(policy, TEXT("/a")).allowed == 1);
	CHECK(check(policy, TEXT("/\xff\xfe")).line == 3);
	CHECK(check(policy, TEXT("https://h\0st/\xed\xa0\x80")).line == 4);
	CHECK(check(policy, NULL, 0).reason == HEED_REASON_INVALID_TARGET);
	CHECK(check(policy, TEXT("\0")).reason == HEED_REASON_INVALID_TARGET);
	CHECK(is_error(heed_explain(policy, NULL, 0, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	CHECK(heed_explain(policy, TEXT("/a\0b\xff"), &json, &error) == HEED_OK);
	CHECK(strstr(json.data, "\"url_b64\":\"L2EAYv8=\"") != NULL);
	CHECK(json.length == strlen(json.data)); /* JSON has no NUL, and one is after it */
	heed_free(&json);
	CHECK(json.data == NULL && json.length == 0);
	heed_free(&json);
	CHECK(heed_lint(TEXT(odd), &json, &error) == HEED_OK && json.length == strlen(json.data));
	heed_free(&json);
	CHECK(heed_lint(NULL, 0, &json, &error) == HEED_OK && json.data[0] == '[');
	heed_free(&json);

	lengths[0] = 2;
	CHECK(heed_agent(file, "\0\xff\xfe\xed", 4, lengths, 3, &none, &error) == HEED_OK);
	CHECK(check(none, "/open", 5).reason == HEED_REASON_INVALID_AGENT && check(none, "/open", 5).allowed == 0);
	CHECK(is_error(heed_explain(none, "/open", 5, &json, &error), HEED_ARGUMENT, &error) && json.data == NULL);
	heed_close(none, NULL);
	CHECK(heed_agent(file, NULL, 0, NULL, 0, &none, &error) == HEED_OK);
	CHECK(check(none, TEXT("/\xff\xfe")).line == 3); /* a crawler without a group */
	heed_close(none, NULL);

	/* A long argument makes a message that is short enough. */
	memset(large, '@', sizeof large);
	lengths[0] = sizeof large;
	CHECK(is_error(heed_diff(file, file, large, sizeof large, lengths, 1, &json, &error), HEED_ARGUMENT, &error));
	CHECK(is_error(heed_parse(NULL, 0, large, sizeof large, &none, &error), HEED_ARGUMENT, &error) && none == 0);
	heed_close(policy, NULL);
	heed_close(file, NULL);
}

/* Nothing of the caller is kept: the texts are overwritten after each call. */
static void copies(void) {
	char body[] = "User-agent: examplebot\nDisallow: /private\n", token[] = "ExampleBot", url[] = "/private/1";
	heed_handle file = parse(TEXT(body)), policy;
	heed_text json;
	memset(body, 'x', sizeof body - 1);
	policy = agent(file, token);
	memset(token, 'x', sizeof token - 1);
	CHECK(check(policy, TEXT(url)).line == 2);
	memset(url, 'x', sizeof url - 1);
	CHECK(check(policy, TEXT("/private/2")).line == 2);
	CHECK(heed_show(policy, &json, NULL) == HEED_OK && strstr(json.data, "ExampleBot") != NULL && strstr(json.data, "/private") != NULL);
	heed_free(&json);
	heed_close(policy, NULL);
	heed_close(file, NULL);
}

/* Crawl delays and sitemaps, which are there or not. */
static void records(void) {
	static const char body[] = "User-agent: ExampleBot\nCrawl-delay: 0.5\nSitemap: https://a.example/\xff\nSitemap: /relative\n";
	static const char want[] = "https://a.example/\xff\n";
	heed_handle file = parse(TEXT(body)), named = agent(file, "ExampleBot"), other = agent(file, "OtherBot"), empty = parse("", 0);
	double seconds = 7;
	heed_text urls;
	CHECK(heed_crawl_delay(named, &seconds, NULL) == HEED_OK && seconds == 0.5);
	CHECK(heed_crawl_delay(other, &seconds, NULL) == HEED_OK && seconds == -1);
	CHECK(heed_sitemaps(file, &urls, NULL) == HEED_OK && urls.length == sizeof want - 1 && memcmp(urls.data, want, sizeof want) == 0);
	heed_free(&urls);
	CHECK(heed_sitemaps(empty, &urls, NULL) == HEED_OK && urls.length == 0 && urls.data != NULL && *urls.data == '\0');
	heed_free(&urls);
	heed_close(named, NULL);
	heed_close(other, NULL);
	heed_close(empty, NULL);
	heed_close(file, NULL);
}

static int is_text(const heed_text *text, const char *want) {
	return text->length == strlen(want) && memcmp(text->data, want, text->length + 1) == 0;
}

/* what will be requested, and responses that are no robots.txt. */
static void responses(void) {
	heed_handle file = parse(TEXT(shop)), policy = agent(file, "ExampleBot");
	heed_text text;
	CHECK(heed_requested(policy, "/ca\trt", 6, &text, NULL) == HEED_OK && is_text(&text, "/cart"));
	heed_free(&text);
	CHECK(heed_requested(policy, "/\0x\t", 4, &text, NULL) == HEED_OK && text.length == 4 && memcmp(text.data, "/\0x\t", 5) == 0);
	heed_free(&text);
	CHECK(heed_refusal(200, NULL, 0, TEXT(shop), &text, NULL) == HEED_OK && is_text(&text, ""));
	heed_free(&text);
	CHECK(heed_refusal(200, TEXT("br"), TEXT(shop), &text, NULL) == HEED_OK && strstr(text.data, "encoded as \"br\"") != NULL);
	heed_free(&text);
	CHECK(heed_refusal(202, NULL, 0, NULL, 0, &text, NULL) == HEED_OK && strstr(text.data, "status 202") != NULL);
	heed_free(&text);
	heed_close(policy, NULL);
	heed_close(file, NULL);
}

/* A file with many lines, and one that is too large. The pages of the second are never written. */
static void large(void) {
	static const char line[] = "Disallow: /some/path/of/a/large/file\n";
	size_t length = (size_t)100 << 20, too_large = ((size_t)256 << 20) + 1, at;
	char *body = malloc(length), *zeros = calloc(too_large, 1);
	heed_handle file = 7, policy;
	heed_text json;
	heed_error error;
	CHECK(body != NULL && zeros != NULL);
	CHECK(is_error(heed_parse(zeros, too_large, NULL, 0, &file, &error), HEED_TOO_LARGE, &error) && file == 0);
	CHECK(is_error(heed_lint(zeros, too_large, &json, &error), HEED_TOO_LARGE, &error) && json.data == NULL);
	CHECK(is_error(heed_refusal(200, NULL, 0, zeros, too_large, &json, &error), HEED_TOO_LARGE, &error) && json.data == NULL);
	free(zeros);
	memcpy(body, TEXT("User-agent: *\n"));
	for (at = strlen("User-agent: *\n"); at < length; at++)
		body[at] = line[(at - strlen("User-agent: *\n")) % (sizeof line - 1)];
	file = parse(body, length);
	free(body);
	policy = agent(file, "ExampleBot");
	CHECK(check(policy, TEXT("/some/path/of/a/large/file/1")).line == 2);
	heed_close(policy, NULL);
	heed_close(file, NULL);
}

/* A child made by fork gets an error at once, and the parent goes on. */
static void forks(void) {
	heed_handle file = parse(TEXT(shop)), policy = agent(file, "ExampleBot");
	heed_text json = {NULL, 0};
	int status = 1, before = failures;
	pid_t child;
	CHECK(heed_crawlers(&json, NULL) == HEED_OK);
	child = fork();
	if (child == 0) {
		heed_decision d = filled;
		heed_error error;
		heed_handle made = 7;
		double seconds = 7;
		alarm(20);
		CHECK(is_error(heed_crawl_delay(policy, &seconds, &error), HEED_FORKED, &error) && seconds == -1);
		CHECK(is_error(heed_check(policy, "/open", 5, &d, &error), HEED_FORKED, &error) && is_nothing(d));
		CHECK(is_error(heed_parse("", 0, NULL, 0, &made, &error), HEED_FORKED, &error) && made == 0);
		CHECK(is_error(heed_close(policy, &error), HEED_FORKED, &error));
		CHECK(strcmp(heed_version(), "") == 0);
		heed_free(&json);
		_exit(failures == before ? 0 : 1);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	heed_free(&json);
	CHECK(check(policy, "/open", 5).allowed == 1);
	heed_close(policy, NULL);
	heed_close(file, NULL);
}

int main(int count, char **names) {
	CHECK(strlen(heed_version()) > 0 && heed_version() == heed_version());
	arguments();
	handles();
	bytes();
	copies();
	records();
	responses();
	forks();
	if (count > 1 && strcmp(names[1], "large") == 0)
		large();
	return failures != 0;
}
