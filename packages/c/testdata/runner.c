/* Answers the questions of internal/testing/caserun, which describes their form. */
#include <heed.h>
#include <stdio.h>
#include <stdlib.h>

static char *text;
static size_t room;

static void stop(const char *why) {
	fprintf(stderr, "runner.c: %s\n", why);
	exit(1);
}

static size_t number(void) {
	unsigned long n;
	if (scanf("%lu", &n) != 1)
		stop("a number is missing");
	return (size_t)n;
}

/* read_text reads the text after a line, and the line end after it. */
static void read_text(size_t length) {
	if (length > room && (text = realloc(text, room = 2 * length)) == NULL)
		stop("no memory");
	if (getchar() != '\n' || fread(text, 1, length, stdin) != length || getchar() != '\n')
		stop("a text is cut");
}

int main(void) {
	heed_handle file = 0, policy;
	heed_error error;
	heed_decision decision;
	size_t lengths[64], count, tokens, i;
	int kind;

	while ((kind = getchar()) != EOF) {
		if (kind == 'F') {
			lengths[0] = number(), lengths[1] = number();
			read_text(lengths[0] + lengths[1]);
			heed_close(file, NULL);
			if (heed_parse(text + lengths[0], lengths[1], text, lengths[0], &file, &error) != HEED_OK)
				stop(error.message);
			continue;
		}
		if ((count = number()) >= sizeof lengths / sizeof *lengths)
			stop("too many tokens");
		for (tokens = i = 0; i <= count; i++) {
			lengths[i] = number();
			tokens += i < count ? lengths[i] : 0;
		}
		read_text(tokens + lengths[count]);
		if (heed_agent(file, text, tokens, lengths, count, &policy, &error) != HEED_OK ||
		    heed_check(policy, text + tokens, lengths[count], &decision, &error) != HEED_OK)
			printf("error %s\n", error.message);
		else
			printf("%d %lu\n", decision.allowed, (unsigned long)decision.line);
		heed_close(policy, NULL);
	}
	free(text);
	return 0;
}
