//go:build cgo

/*
 * The functions of heed.h. First they set their results to nothing. Then they return an error for mistakes that only callers
 * in C can make, such as NULL, and in a child made by fork, where the runtime of Go would wait for ever. Then they call heed.go.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "heed.h"

#include "_cgo_export.h"

static volatile sig_atomic_t forked;

static void after_fork(void) { forked = 1; }

__attribute__((constructor)) static void loaded(void) { pthread_atfork(NULL, NULL, after_fork); }

static int fail(int code, const char *message, heed_error *error) {
	if (error != NULL) {
		error->code = code;
		strcpy(error->message, message);
	}
	return code;
}

/* begin clears the error, and returns HEED_OK if a call is possible at all. */
static int begin(int has_result, heed_error *error) {
	if (error != NULL) {
		error->code = HEED_OK;
		error->message[0] = '\0';
	}
	if (!has_result)
		return fail(HEED_ARGUMENT, "the pointer to the result is NULL", error);
	if (forked)
		return fail(HEED_FORKED, "this process was made by fork after the library was loaded, and can not use it", error);
	return HEED_OK;
}

/* a_text checks a text of the caller. No object of C has more than PTRDIFF_MAX bytes. */
static int a_text(const void *text, size_t length, heed_error *error) {
	if (text == NULL && length > 0)
		return fail(HEED_ARGUMENT, "a text is NULL and its length is not 0", error);
	if (length > PTRDIFF_MAX)
		return fail(HEED_ARGUMENT, "the length of a text is larger than any text", error);
	return HEED_OK;
}

/* texts checks several texts of the caller, which are passed as one, and their lengths. */
static int texts(const char *all, size_t length, const size_t *lengths, size_t count, heed_error *error) {
	int code = a_text(all, length, error);
	if (code != HEED_OK)
		return code;
	if (lengths == NULL && count > 0)
		return fail(HEED_ARGUMENT, "the lengths are NULL and their number is not 0", error);
	if (count > PTRDIFF_MAX / sizeof(size_t))
		return fail(HEED_ARGUMENT, "the number of lengths is larger than any array", error);
	return HEED_OK;
}

const char *heed_version(void) { return forked ? "" : heedVersion(); }

int heed_parse(const char *body, size_t body_length, const char *dialect, size_t dialect_length,
               heed_handle *file, heed_error *error) {
	int code;
	if (file != NULL)
		*file = 0;
	if ((code = begin(file != NULL, error)) != HEED_OK || (code = a_text(body, body_length, error)) != HEED_OK ||
	    (code = a_text(dialect, dialect_length, error)) != HEED_OK)
		return code;
	return heedParse((char *)body, body_length, (char *)dialect, dialect_length, file, error);
}

int heed_agent(heed_handle file, const char *tokens, size_t tokens_length, const size_t *lengths, size_t count,
               heed_handle *policy, heed_error *error) {
	int code;
	if (policy != NULL)
		*policy = 0;
	if ((code = begin(policy != NULL, error)) != HEED_OK ||
	    (code = texts(tokens, tokens_length, lengths, count, error)) != HEED_OK)
		return code;
	return heedAgent(file, (char *)tokens, tokens_length, (size_t *)lengths, count, policy, error);
}

int heed_check(heed_handle policy, const char *url, size_t url_length, heed_decision *decision, heed_error *error) {
	int code;
	if (decision != NULL)
		memset(decision, 0, sizeof *decision);
	if ((code = begin(decision != NULL, error)) != HEED_OK || (code = a_text(url, url_length, error)) != HEED_OK)
		return code;
	return heedCheck(policy, (char *)url, url_length, decision, error);
}

int heed_check_all(heed_handle policy, const char *urls, size_t urls_length, const size_t *lengths, size_t count,
                   heed_decision *decisions, heed_error *error) {
	int code;
	if (decisions != NULL && count <= PTRDIFF_MAX / sizeof *decisions)
		memset(decisions, 0, count * sizeof *decisions);
	if ((code = begin(decisions != NULL || count == 0, error)) != HEED_OK ||
	    (code = texts(urls, urls_length, lengths, count, error)) != HEED_OK)
		return code;
	return heedCheckAll(policy, (char *)urls, urls_length, (size_t *)lengths, count, decisions, error);
}

int heed_requested(heed_handle policy, const char *url, size_t url_length, heed_text *reading, heed_error *error) {
	int code;
	if (reading != NULL)
		memset(reading, 0, sizeof *reading);
	if ((code = begin(reading != NULL, error)) != HEED_OK || (code = a_text(url, url_length, error)) != HEED_OK)
		return code;
	return heedRequested(policy, (char *)url, url_length, reading, error);
}

int heed_explain(heed_handle policy, const char *url, size_t url_length, heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK || (code = a_text(url, url_length, error)) != HEED_OK)
		return code;
	return heedExplain(policy, (char *)url, url_length, json, error);
}

int heed_usage(heed_handle policy, const char *url, size_t url_length, const char *question, size_t question_length,
               heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK || (code = a_text(url, url_length, error)) != HEED_OK ||
	    (code = a_text(question, question_length, error)) != HEED_OK)
		return code;
	return heedUsage(policy, (char *)url, url_length, (char *)question, question_length, json, error);
}

int heed_show(heed_handle policy, heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK)
		return code;
	return heedShow(policy, json, error);
}

int heed_crawl_delay(heed_handle policy, double *seconds, heed_error *error) {
	int code;
	if (seconds != NULL)
		*seconds = -1;
	if ((code = begin(seconds != NULL, error)) != HEED_OK)
		return code;
	return heedCrawlDelay(policy, seconds, error);
}

int heed_sitemaps(heed_handle file, heed_text *urls, heed_error *error) {
	int code;
	if (urls != NULL)
		memset(urls, 0, sizeof *urls);
	if ((code = begin(urls != NULL, error)) != HEED_OK)
		return code;
	return heedSitemaps(file, urls, error);
}

int heed_refusal(int status, const char *content_encoding, size_t content_encoding_length, const char *body, size_t body_length,
                 heed_text *why, heed_error *error) {
	int code;
	if (why != NULL)
		memset(why, 0, sizeof *why);
	if ((code = begin(why != NULL, error)) != HEED_OK ||
	    (code = a_text(content_encoding, content_encoding_length, error)) != HEED_OK ||
	    (code = a_text(body, body_length, error)) != HEED_OK)
		return code;
	return heedRefusal(status, (char *)content_encoding, content_encoding_length, (char *)body, body_length, why, error);
}

int heed_lint(const char *body, size_t body_length, heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK || (code = a_text(body, body_length, error)) != HEED_OK)
		return code;
	return heedLint((char *)body, body_length, json, error);
}

int heed_diff(heed_handle older, heed_handle newer, const char *crawlers, size_t crawlers_length,
              const size_t *lengths, size_t count, heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK ||
	    (code = texts(crawlers, crawlers_length, lengths, count, error)) != HEED_OK)
		return code;
	return heedDiff(older, newer, (char *)crawlers, crawlers_length, (size_t *)lengths, count, json, error);
}

int heed_crawlers(heed_text *json, heed_error *error) {
	int code;
	if (json != NULL)
		memset(json, 0, sizeof *json);
	if ((code = begin(json != NULL, error)) != HEED_OK)
		return code;
	return heedCrawlers(json, error);
}

int heed_close(heed_handle handle, heed_error *error) {
	int code = begin(1, error);
	return code != HEED_OK ? code : heedClose(handle, error);
}

void heed_free(heed_text *text) {
	if (text == NULL)
		return;
	free(text->data);
	text->data = NULL;
	text->length = 0;
}
