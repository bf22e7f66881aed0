/* Parses and closes many files, and prints the resident memory, in bytes, after a fifth of them and at the end. Usage: memory COUNT */
#define _POSIX_C_SOURCE 200809L
#include <heed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long resident(void) {
	long pages = 0;
	FILE *statm = fopen("/proc/self/statm", "r");
	if (statm == NULL || fscanf(statm, "%*d %ld", &pages) != 1)
		exit(2);
	fclose(statm);
	return pages * sysconf(_SC_PAGESIZE);
}

static void must(int code, const heed_error *error) {
	if (code != HEED_OK) {
		fprintf(stderr, "memory.c: %s\n", error->message);
		exit(1);
	}
}

int main(int count, char **arguments) {
	static char body[2048];
	const size_t head = strlen("User-agent: *\n");
	long files = count == 2 ? atol(arguments[1]) : 0, i;
	size_t length, at;
	memcpy(body, "User-agent: *\n", head);
	for (at = head; at + 32 < sizeof body; at += strlen(body + at))
		sprintf(body + at, "Disallow: /a/path/%lu/*?x=\n", (unsigned long)at);
	length = at;
	for (i = 0; i < files; i++) {
		heed_handle file, policy;
		heed_decision decision;
		heed_error error;
		heed_text json;
		memcpy(body + head, i % 2 ? "disallow" : "Disallow", 8);
		must(heed_parse(body, length, NULL, 0, &file, &error), &error);
		must(heed_agent(file, NULL, 0, NULL, 0, &policy, &error), &error);
		must(heed_check(policy, "/a/path/14/b?x=1", 16, &decision, &error), &error);
		if (decision.line != 2 || decision.allowed != 0)
			return 1;
		if (i % 100 == 0) {
			must(heed_show(policy, &json, &error), &error);
			heed_free(&json);
		}
		must(heed_close(file, &error), &error);
		must(heed_close(policy, &error), &error);
		if (i == files / 5)
			printf("%ld\n", resident());
	}
	printf("%ld\n", resident());
	return 0;
}
