/* example: may ExampleBot fetch these URLs?  Usage: example ROBOTS.TXT URL... */
#include <heed.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int code, const heed_error *error) {
	if (code != HEED_OK) {
		fprintf(stderr, "example: %s\n", error->message);
		exit(1);
	}
}

int main(int count, char **arguments) {
	const char *agent = "ExampleBot";
	size_t agent_length = strlen(agent);
	static char body[500 * 1024]; /* as much as RFC 9309 asks a crawler to read */
	heed_handle file, policy;
	heed_error error;
	FILE *opened;
	size_t length;

	if (count < 2) {
		fprintf(stderr, "usage: example ROBOTS.TXT URL...\n");
		return 2;
	}
	if ((opened = fopen(arguments[1], "rb")) == NULL) {
		perror(arguments[1]);
		return 1;
	}
	length = fread(body, 1, sizeof body, opened);
	fclose(opened);

	must(heed_parse(body, length, NULL, 0, &file, &error), &error);
	must(heed_agent(file, agent, agent_length, &agent_length, 1, &policy, &error), &error);
	for (int i = 2; i < count; i++) {
		heed_decision decision;
		must(heed_check(policy, arguments[i], strlen(arguments[i]), &decision, &error), &error);
		printf("%s %s (line %u)\n", decision.allowed ? "allowed   " : "disallowed", arguments[i], (unsigned)decision.line);
	}
	heed_close(policy, NULL);
	heed_close(file, NULL);
	return 0;
}
