/* What heed.h says about loading, signals and fork, on Linux. Usage: load LIBRARY */
#define _XOPEN_SOURCE 700
#include <dlfcn.h>
#include <heed.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *name;
static const char *(*version)(void);
static int (*crawlers)(heed_text *, heed_error *);
static void (*free_text)(heed_text *);

static void stop(const char *why) {
	fprintf(stderr, "load.c: %s\n", why);
	exit(1);
}

static void load(void) {
	void *library = dlopen(name, RTLD_NOW);
	if (library == NULL)
		stop(dlerror());
	*(void **)&version = dlsym(library, "heed_version");
	*(void **)&crawlers = dlsym(library, "heed_crawlers");
	*(void **)&free_text = dlsym(library, "heed_free");
	if (dlclose(library) != 0) /* it stays loaded: all later calls are after this */
		stop("dlclose failed");
}

/* use makes a call that needs the threads of the library, and returns its result. */
static int use(void) {
	heed_text json;
	heed_error error;
	int code = HEED_OK, i;
	for (i = 0; i < 500 && code == HEED_OK; i++) { /* enough for collections of garbage */
		if ((code = crawlers(&json, &error)) == HEED_OK && strlen(json.data) != json.length)
			stop("no text");
		free_text(&json);
	}
	return code;
}

static void ends_well(pid_t child, const char *what) {
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		stop(what);
}

/* A child that loads the library after fork can use it. */
static void loads_in_a_child(void) {
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		load();
		_exit(use() != HEED_OK);
	}
	ends_well(child, "a child made by fork before the library was loaded cannot use it");
}

/* A child made by fork later gets an error, also if it loads the library again, and may run another program. */
static void forks_later(void) {
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		if (use() != HEED_FORKED || *version() != '\0')
			_exit(1);
		load();
		if (use() != HEED_FORKED)
			_exit(1);
		execlp("true", "true", (char *)NULL);
		_exit(1);
	}
	ends_well(child, "a child made by fork after the library was loaded does not get the error");
}

static volatile sig_atomic_t pipes;

static void on_pipe(int number) { pipes += number == SIGPIPE; }

static void on_fault(int number) { _exit(number != SIGSEGV); }

static void handle(int number, void (*handler)(int)) {
	struct sigaction action;
	memset(&action, 0, sizeof action);
	action.sa_handler = handler;
	if (sigaction(number, &action, NULL) != 0)
		stop("sigaction failed");
}

/* The signals that heed.h names have handlers, and no others. */
static void has_handlers(void) {
	int number;
	for (number = 1; number < 32; number++) {
		struct sigaction action;
		int is_ours = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGPIPE || number == SIGURG;
		if (sigaction(number, NULL, &action) != 0)
			stop("sigaction failed");
		if ((action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN) != is_ours ||
		    (is_ours && (action.sa_flags & (SA_ONSTACK | SA_RESTART)) != (SA_ONSTACK | SA_RESTART))) {
			fprintf(stderr, "load.c: the handler of signal %d\n", number);
			exit(1);
		}
	}
}

/* Signals of this program come to the handlers that were there before. */
static void passes_signals_on(void) {
	int ends[2];
	pid_t child;
	if (pipe(ends) != 0 || close(ends[0]) != 0 || write(ends[1], "x", 1) != -1 || pipes != 1)
		stop("SIGPIPE does not come to the handler from before");
	if ((child = fork()) == 0) {
		alarm(20);
		*(volatile int *)8 = 1;
		_exit(2);
	}
	ends_well(child, "SIGSEGV does not come to the handler from before");
}

int main(int count, char **arguments) {
	if (count != 2)
		return 2;
	name = arguments[1];
	loads_in_a_child();
	handle(SIGPIPE, on_pipe);
	handle(SIGSEGV, on_fault);
	load();
	has_handlers();
	if (use() != HEED_OK || *version() == '\0')
		stop("no answer");
	forks_later();
	passes_signals_on();
	return use() != HEED_OK;
}
