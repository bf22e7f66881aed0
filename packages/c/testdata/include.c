/* heed.h in C11 and in C++17, as the first include and twice. The sizes are those that other languages use. */
#include <heed.h>
#include <heed.h>

#ifndef __cplusplus
#include <assert.h>
#endif

static_assert(sizeof(heed_handle) == 8, "heed_handle");
static_assert(sizeof(heed_decision) == 8, "heed_decision");
static_assert(offsetof(heed_decision, line) == 0, "line");
static_assert(offsetof(heed_decision, allowed) == 4, "allowed");
static_assert(offsetof(heed_decision, reason) == 5, "reason");
static_assert(offsetof(heed_decision, reserved) == 6, "reserved");
static_assert(sizeof(heed_error) == sizeof(int) + 500, "heed_error");
static_assert(offsetof(heed_error, message) == sizeof(int), "message");
static_assert(sizeof(heed_text) == 2 * sizeof(size_t), "heed_text");
static_assert(offsetof(heed_text, length) == sizeof(size_t), "length");

int main(void) {
	heed_text json;
	heed_error error;
	int code = heed_crawlers(&json, &error);
	heed_free(&json);
	return code;
}
