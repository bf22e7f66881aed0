/*
 * heed.h: robots.txt, decided as RFC 9309 and four other dialects say.
 *
 * heed_parse parses a file. heed_agent makes a policy: what a file says to one crawler. heed_check decides about a URL by a policy.
 * Files and policies are numbers, called handles; heed_close frees their memory.
 *
 * Texts: each text is a pointer with a length in bytes, and may have any bytes, also NUL and bytes that are not
 * UTF-8. NULL with the length 0 is the empty text. Nothing that you pass is kept or changed: it may be freed after the
 * call. Several texts are passed one after the other in one text without separators, with the length of each.
 *
 * Results: each function returns HEED_OK, which is 0, or an enum heed_code that says what is wrong. It sets its results
 * always: after an error a decision is "disallowed", a handle 0 and a JSON text empty. `error` may be NULL.
 * The dialect "google" has no wrong names and no wrong URLs, because Google's parser has none: it reads every text as a name, and as
 * a URL with a path. So it allows an empty token, and the URLs "", "x", "http://" and "mailto:a", if no rule disallows the path "/". It uses a
 * User-Agent header as it is, and there is no group for it. Check these yourself before you ask in that dialect. docs/dialects.md has a table.
 * Mistakes that the library cannot notice are undefined behaviour, as everywhere in C: a wrong pointer, or a length that is
 * larger than the memory at the pointer.
 *
 * Time: heed_explain, heed_show, heed_lint and heed_diff read whole files and cannot be stopped. With 500 KiB, which is what crawlers
 * read, a hostile file takes them seconds; with many megabytes minutes, and gigabytes of memory.
 *
 * Threads: every function may be called from every thread, several at once, also with the same handle. A thread
 * needs no preparation, and a stack of 64 KiB is enough. A handle may be closed while other threads use it: their
 * calls still finish, later ones return HEED_CLOSED. A closed handle is never given to another file or policy.
 *
 * fork: the library has threads of its own from the moment at which it is loaded, and fork does not copy threads. So
 * a child made by fork after that can not use the library: all functions return HEED_FORKED there, except
 * heed_free, which works, and heed_version, which returns "". The parent is not affected. The function daemon uses fork too.
 * This does not matter to a child that calls exec, nor to posix_spawn. A program that needs Heed in children made by fork
 * must not be linked with the library, but load it in the child with dlopen. Without the functions of the C library, such as after the
 * system call clone, the library cannot notice a fork: calls may then wait for ever.
 *
 * Signals: the runtime of Go, which the library contains, installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGPIPE and
 * SIGURG when it is loaded, and no others. Signals that are not its own go to the handlers that were there before; without
 * one, the system does what it always does. A program that installs handlers later must give SA_ONSTACK to sigaction for
 * every signal, since one can arrive while a thread runs Go, on a small stack. It should leave the five as they are;
 * a new handler for one of them must call the handler that it replaces.
 *
 * Loading: the library stays loaded until the process ends; dlclose does nothing. It starts a few threads. It reads the
 * environment variables of the runtime of Go: GOMAXPROCS, GOGC, GOMEMLIMIT, GODEBUG, GOTRACEBACK. If the machine has no
 * memory left, the process ends. Two static libraries made by Go cannot be linked into one program. With the static
 * library, no function may be called before main, such as by the constructor of a global object in C++: the call would
 * wait for ever, since the runtime of Go starts after these. The shared library has no such limit.
 *
 * "Global state": there are no settings, no last error, and nothing to initialize. The table of handles is one
 * for the process, so a handle means the same in all its parts.
 */
#ifndef HEED_H
#define HEED_H

#include <stddef.h>
#include <stdint.h>

#if defined(HEED_API)
/* The user has defined it, for example as nothing, to read only the declarations. */
#elif defined(__GNUC__)
#define HEED_API __attribute__((visibility("default")))
#else
#define HEED_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A file or a policy. 0 is none. It is less than 2 to the power of 53, so a double has it exactly. */
typedef uint64_t heed_handle;

/* What a function returns. The numbers never change; later versions may have more of them. */
enum heed_code {
	HEED_OK = 0,
	HEED_CLOSED = 1,    /* the handle is not that of an open file or policy */
	HEED_KIND = 2,      /* the handle is of a file and a policy was expected, or the other way round */
	HEED_ARGUMENT = 3,  /* an argument has a value that is not allowed; the message says which */
	HEED_TOO_LARGE = 4, /* a robots.txt has more than 256 MiB; crawlers read 500 KiB of one */
	HEED_FULL = 5,      /* there are too many files and policies, 268,435,456 */
	HEED_FAILED = 6,    /* a bug in Heed; the message shows the input, please report it */
	HEED_FORKED = 7     /* the process was made by fork after the library was loaded */
};

/* Why a URL is allowed or disallowed. The numbers never change; later versions may have more of them. */
enum heed_reason {
	HEED_REASON_UNDECIDED = 0,         /* no decision, because there was an error: disallowed */
	HEED_REASON_RULE = 1,              /* a rule matched and decided; `line` is that of the rule */
	HEED_REASON_NO_RULE_MATCHED = 2,   /* a group applies to the crawler, but none of its rules matches: allowed */
	HEED_REASON_NO_GROUP = 3,          /* there is no group for the crawler, and none for "*": allowed */
	HEED_REASON_ROBOTS_TXT_ITSELF = 4, /* /robots.txt is always allowed, in rfc9309 and draft2019 */
	HEED_REASON_UNAVAILABLE = 5,       /* 5 to 8 are about fetching a robots.txt, which this library does not do */
	HEED_REASON_UNREACHABLE = 6,
	HEED_REASON_RESTRICTED = 7,
	HEED_REASON_OTHER_ORIGIN = 8,
	HEED_REASON_INVALID_AGENT = 9,     /* there is no name in a token of the crawler: disallowed; never in google */
	HEED_REASON_INVALID_TARGET = 10,   /* neither an absolute URL nor a path that begins with "/": disallowed; never in google */
	HEED_REASON_IGNORES_EVERYONE = 11  /* there is no group for the crawler, and it does not follow the groups for "*": allowed */
};

/* A decision about a URL. */
typedef struct heed_decision {
	uint32_t line;     /* the line of the rule that decided, counted from 1; 0: no rule decided */
	uint8_t allowed;   /* 1: the crawler may fetch the URL; 0: it may not */
	uint8_t reason;    /* an enum heed_reason */
	uint16_t reserved; /* 0 */
} heed_decision;

/* What is wrong. */
typedef struct heed_error {
	int code;          /* what the function returned; if HEED_OK, the message is empty */
	char message[500]; /* one line of UTF-8 that is safe to print, with a NUL after it; a long one is cut */
} heed_error;

/*
 * A text that the library made; heed_free gives its memory back. All but those of heed_sitemaps, heed_requested and
 * heed_refusal are JSON. Where a text of a file or of yours is not UTF-8, the JSON has it with U+FFFD, and its bytes as
 * Base64 in a member with the same name and _b64.
 */
typedef struct heed_text {
	char *data;    /* `length` bytes with a NUL after them, JSON is UTF-8; NULL after an error */
	size_t length; /* without the NUL */
} heed_text;

/* The version of Heed, such as "v0.3.0", or "(devel)". It is never freed, and not NULL. */
HEED_API const char *heed_version(void);

/*
 * heed_parse parses a robots.txt. Every text is one, also an empty one, so only arguments can be wrong. The dialect is
 * rfc9309 (also if it is empty), google, draft2019, draft1996 or standard1994. Give the whole file: a dialect reads
 * as much of it as it should. The memory of a file is about twice its bytes and more for its policies.
 */
HEED_API int heed_parse(const char *body, size_t body_length, const char *dialect, size_t dialect_length,
                        heed_handle *file, heed_error *error);

/*
 * heed_agent makes the policy of a file for a crawler, which is named by `count` product tokens, the most specific
 * first: "ExampleBot-News", "ExampleBot". Most crawlers have one. A whole User-Agent header is read as the token in it. A
 * token is read up to the first character that no name can have: "bad!" is "bad". If a token has no name in it, the policy
 * disallows everything. The dialect google uses every token as it is. Without tokens, it is the policy of a crawler
 * without a group. A policy is usable after its file is closed. Keep it for many questions: to make one costs more than a decision.
 */
HEED_API int heed_agent(heed_handle file, const char *tokens, size_t tokens_length, const size_t *lengths, size_t count,
                        heed_handle *policy, heed_error *error);

/*
 * heed_check decides about a URL, which is absolute or a path that begins with "/". Any other text is disallowed, but the dialect
 * google decides by the rules about it too. The host of a URL is not looked
 * at: ask the policy of the robots.txt of its origin.
 */
HEED_API int heed_check(heed_handle policy, const char *url, size_t url_length,
                        heed_decision *decision, heed_error *error);

/*
 * heed_check_all decides about `count` URLs, which takes less time than single calls. `decisions` has room for `count`
 * decisions, and may be NULL if count is 0. After an error all of them are "disallowed".
 */
HEED_API int heed_check_all(heed_handle policy, const char *urls, size_t urls_length, const size_t *lengths, size_t count,
                            heed_decision *decisions, heed_error *error);

/*
 * heed_requested gives the form of a URL to check before the URL is requested. Browsers remove tabs and line ends from a URL,
 * and white space at its end, and read a backslash before the first "?" or "#" as "/"; other programs request the URL
 * as it is written. The result is the URL as it is written, or the form of browsers if only that form is disallowed. heed_check
 * decides about a URL exactly as it is written, so give it this result. heed_free frees its memory.
 */
HEED_API int heed_requested(heed_handle policy, const char *url, size_t url_length, heed_text *reading, heed_error *error);

/*
 * heed_explain gives all steps of a decision about a URL, in every dialect: the JSON of "heed explain". Where heed_check
 * has the reason HEED_REASON_INVALID_AGENT or HEED_REASON_INVALID_TARGET, there are no steps: it returns HEED_ARGUMENT. The
 * dialect google has neither, so it explains each text.
 */
HEED_API int heed_explain(heed_handle policy, const char *url, size_t url_length, heed_text *json, heed_error *error);

/*
 * heed_usage gives the decision about a URL, and what the page may be used for: to train AI models ("train-ai"), for search ("search"),
 * as input of AI models ("ai-use"). The question is a JSON object, or empty; each member may be absent:
 *
 *   for      a list of purposes; without it all
 *   profile  which kinds of statements are read: "all", "ietf", "signals", "eu-art4"
 *   headers  of the response: an object of strings, or of lists of strings
 *   html     the start of the page; 64 KiB are read
 *   tdmrep   the content of /.well-known/tdmrep.json
 *
 * The answer has "allowed", "reason" and "rule", and the member "usage": for each purpose its "preference" ("allowed", "disallowed",
 * "unknown", or "not-crawlable" if the URL is disallowed), the statements that decide in "by", and the other ones with the reason in
 * "ignored". If nothing is found, the preference is "unknown", which is no permission. heed_free frees the memory. Errors are
 * those of heed_explain, and HEED_ARGUMENT for a question that cannot be read.
 */
HEED_API int heed_usage(heed_handle policy, const char *url, size_t url_length, const char *question, size_t question_length,
                        heed_text *json, heed_error *error);

/* heed_show gives all that a file says to the crawler of a policy: the JSON of "heed show". */
HEED_API int heed_show(heed_handle policy, heed_text *json, heed_error *error);

/*
 * heed_crawl_delay gives the longest Crawl-delay for the crawler of a policy, in seconds; -1 if there is none, and after an
 * error. It changes no decision. The Google dialect has no crawl delays.
 */
HEED_API int heed_crawl_delay(heed_handle policy, double *seconds, heed_error *error);

/*
 * heed_sitemaps gives the URLs of the Sitemap lines of a file, each with "\n" after it, with the bytes that the file has. It
 * leaves out what is not an absolute URL. heed_free gives the memory of the text back.
 */
HEED_API int heed_sitemaps(heed_handle file, heed_text *urls, heed_error *error);

/*
 * heed_refusal gives why the body of a response is no robots.txt, though its status is from 200 to 299: it is still
 * compressed, binary, a part of the file, or a challenge with status 202. Then nothing may be requested. The text is empty if
 * the body is a robots.txt. content_encoding is that of the response, without the encodings that you have decoded. Give
 * the status 206 for a response with a Content-Range. A body in UTF-16 must be translated to UTF-8 before. heed_free frees the
 * memory of the text.
 */
HEED_API int heed_refusal(int status, const char *content_encoding, size_t content_encoding_length, const char *body, size_t body_length,
                          heed_text *why, heed_error *error);

/* heed_lint gives what is wrong with a robots.txt: the JSON of "heed lint", a list with an object for each finding. */
HEED_API int heed_lint(const char *body, size_t body_length, heed_text *json, heed_error *error);

/*
 * heed_diff gives which URLs two files decide in different ways: the JSON of "heed diff". It is about `count` crawlers,
 * of which each is a product token, or several with colons between them, the most specific first. If count is 0, it is about all
 * crawlers: those that the files name, and the others.
 */
HEED_API int heed_diff(heed_handle older, heed_handle newer, const char *crawlers, size_t crawlers_length,
                       const size_t *lengths, size_t count, heed_text *json, heed_error *error);

/* heed_crawlers gives the table of known crawlers: the JSON of "heed crawlers", a list. Each also has the tokens to ask about, as "agent". */
HEED_API int heed_crawlers(heed_text *json, heed_error *error);

/* heed_close closes a file or a policy. A second time, or for 0, it returns HEED_CLOSED and does nothing. */
HEED_API int heed_close(heed_handle handle, heed_error *error);

/* heed_free frees a text and sets it to {NULL, 0}, so a second call does nothing. For NULL it does nothing. */
HEED_API void heed_free(heed_text *text);

#ifdef __cplusplus
}
#endif

#endif
