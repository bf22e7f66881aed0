/*
 * Ten threads ask about policies that other threads close meanwhile: each answer is right, or HEED_CLOSED. Each has a
 * small stack, and they are started again and again. Usage: threads ROUNDS STACK-BYTES
 */
#include <heed.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 10
#define SLOTS 8
#define QUESTIONS 300

static _Atomic heed_handle slots[SLOTS]; /* policies of several threads */
static atomic_int failures, closed, answered;

#define CHECK(truth) \
	do { \
		if (!(truth)) { \
			fprintf(stderr, "threads.c:%d: %s\n", __LINE__, #truth); \
			failures++; \
		} \
	} while (0)

/* policy_of makes a policy. Its line 2 disallows /cart. */
static heed_handle policy_of(void) {
	static const char body[] = "User-agent: *\nDisallow: /cart\nAllow: /*/help$\n";
	heed_handle file, policy;
	CHECK(heed_parse(body, sizeof body - 1, NULL, 0, &file, NULL) == HEED_OK);
	CHECK(heed_agent(file, NULL, 0, NULL, 0, &policy, NULL) == HEED_OK);
	CHECK(heed_close(file, NULL) == HEED_OK);
	return policy;
}

static void *work(void *argument) {
	unsigned at = (unsigned)(size_t)argument;
	size_t lengths[] = {5, 5};
	int i;
	for (i = 0; i < QUESTIONS; i++) {
		heed_handle policy = slots[at = (at * 1103515245 + 12345) % SLOTS];
		heed_decision d[2];
		heed_error error;
		heed_text json;
		int code = i % 2 ? heed_check(policy, "/cart", 5, d, &error) : heed_check_all(policy, "/cart/open", 10, lengths, 2, d, &error);
		if (code == HEED_OK) {
			answered++;
			CHECK(d[0].allowed == 0 && d[0].line == 2 && (i % 2 || (d[1].allowed == 1 && d[1].line == 0)));
		} else {
			closed++;
			CHECK(code == HEED_CLOSED && error.code == code && d[0].allowed == 0 && d[0].reason == HEED_REASON_UNDECIDED);
		}
		if (i % 100 == 0) {
			code = heed_explain(policy, "/cart", 5, &json, NULL);
			CHECK((code == HEED_OK && strstr(json.data, "/cart") != NULL) || (code == HEED_CLOSED && json.data == NULL));
			heed_free(&json);
			CHECK(heed_lint("Disalow: /", 10, &json, NULL) == HEED_OK);
			heed_free(&json);
		}
		if (i % 10 == 0) { /* another thread may have closed it */
			code = heed_close(policy, NULL);
			CHECK(code == HEED_OK || code == HEED_CLOSED);
		}
		if (i % 10 == 5)
			heed_close(atomic_exchange(&slots[at], policy_of()), NULL);
	}
	return NULL;
}

int main(int count, char **arguments) {
	pthread_t threads[THREADS];
	pthread_attr_t small;
	int round, i;
	if (count != 3 || pthread_attr_init(&small) != 0 || pthread_attr_setstacksize(&small, strtoul(arguments[2], NULL, 10)) != 0)
		return 2;
	for (i = 0; i < SLOTS; i++)
		slots[i] = policy_of();
	for (round = atoi(arguments[1]); round > 0; round--) {
		for (i = 0; i < THREADS; i++)
			CHECK(pthread_create(&threads[i], &small, work, (void *)(size_t)i) == 0);
		for (i = 0; i < THREADS; i++)
			CHECK(pthread_join(threads[i], NULL) == 0);
	}
	CHECK(closed > 0 && answered > 0);
	return failures != 0;
}
