//go:build ignore

/*
 * Measures the C library in one process: c ROBOTS.TXT URLS AGENT. It prints a JSON line for each row, with the
 * nanoseconds of the best round. No other library is measured. It loads libheed with dlopen, since loading is measured too. To compile it:
 *
 *	cc -O2 c.c $(pkg-config --cflags heed) -Wl,-rpath,$(pkg-config --variable=libdir heed) -ldl
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <heed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 9
#define BATCH 1000
#define MAX_BYTES (64 << 20)

static int (*parse)(const char *, size_t, const char *, size_t, heed_handle *, heed_error *);
static int (*agent)(heed_handle, const char *, size_t, const size_t *, size_t, heed_handle *, heed_error *);
static int (*check)(heed_handle, const char *, size_t, heed_decision *, heed_error *);
static int (*check_all)(heed_handle, const char *, size_t, const size_t *, size_t, heed_decision *, heed_error *);
static int (*close_handle)(heed_handle, heed_error *);

/* The robots.txt. The URLs, one after the other without separators, as heed_check_all reads them. The length and the start of each. */
static char *body, *urls;
static size_t body_length, lengths[BATCH], starts[BATCH + 1], count;
static heed_decision decisions[BATCH];
static heed_error error;

static void stop(const char *why) {
	fprintf(stderr, "c: %s\n", why);
	exit(1);
}

static void must(int code) {
	if (code != HEED_OK)
		stop(error.message);
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static char *read_file(const char *name, size_t *length) {
	FILE *file = fopen(name, "rb");
	char *text = malloc(MAX_BYTES);
	if (file == NULL || text == NULL)
		stop("a file cannot be read");
	*length = fread(text, 1, MAX_BYTES - 1, file);
	text[*length] = '\0';
	fclose(file);
	return text;
}

/* read_urls fills a batch with the lines of a file. If the file has fewer lines, they are repeated. */
static void read_urls(const char *name) {
	size_t length;
	char *lines = read_file(name, &length), *line = lines;
	if ((urls = malloc(MAX_BYTES)) == NULL || length == 0)
		stop("there are no URLs");
	for (count = 0; count < BATCH; count++) {
		size_t n = strcspn(line, "\n");
		if (starts[count] + n > MAX_BYTES)
			stop("the URLs are too long");
		memcpy(urls + starts[count], line, n);
		lengths[count] = n;
		starts[count + 1] = starts[count] + n;
		line += n + (line[n] == '\n');
		if (*line == '\0')
			line = lines;
	}
	free(lines);
}

static void *function(void *library, const char *name) {
	void *found = dlsym(library, name);
	if (found == NULL)
		stop(name);
	return found;
}

/* load loads the library. POSIX says that a pointer to an object can be one to a function. */
static void load(void) {
	void *library = dlopen("libheed.so.0", RTLD_NOW);
	if (library == NULL)
		stop(dlerror());
	*(void **)&parse = function(library, "heed_parse");
	*(void **)&agent = function(library, "heed_agent");
	*(void **)&check = function(library, "heed_check");
	*(void **)&check_all = function(library, "heed_check_all");
	*(void **)&close_handle = function(library, "heed_close");
}

static heed_handle file, policy;
static const char *crawler;

static void one_parse(void) { must(parse(body, body_length, NULL, 0, &file, &error)); }

static void one_policy(void) {
	size_t length = strlen(crawler);
	must(agent(file, crawler, length, &length, 1, &policy, &error));
}

static void parses(void) {
	for (int i = 0; i < 200; i++) {
		must(close_handle(policy, &error));
		must(close_handle(file, &error));
		one_parse();
		one_policy();
	}
}

static void singles(void) {
	for (size_t i = 0; i < count; i++)
		must(check(policy, urls + starts[i], lengths[i], &decisions[i], &error));
}

static void batches(void) { must(check_all(policy, urls, starts[count], lengths, count, decisions, &error)); }

/* best prints the time of one operation in the best round. work does n operations. */
static void best(const char *what, void (*work)(void), double n) {
	double shortest = 1e18;
	for (int round = 0; round < ROUNDS; round++) {
		int repeat = 20;
		double start = now(), took;
		for (int i = 0; i < repeat; i++)
			work();
		if ((took = (now() - start) / repeat / n) < shortest)
			shortest = took;
	}
	printf("{\"what\": \"%s\", \"heed\": %.1f}\n", what, shortest);
}

int main(int arguments, char **values) {
	double start;
	if (arguments != 4)
		stop("usage: c ROBOTS.TXT URLS AGENT");
	body = read_file(values[1], &body_length);
	read_urls(values[2]);
	crawler = values[3];
	start = now();
	load();
	one_parse();
	one_policy();
	must(check(policy, urls, lengths[0], &decisions[0], &error));
	printf("{\"what\": \"first answer\", \"heed\": %.1f}\n", now() - start);
	best("parse", parses, 200);
	best("one decision", singles, (double)count);
	best("in batches of 1,000 (each)", batches, (double)count);
	return 0;
}
