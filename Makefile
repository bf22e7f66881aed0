# The tools, pinned. They run from the module cache and need no installation.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.12.5

# Every module of the repository, and the packages of all of them.
MODULES = . beam examples/colly bench release
PACKAGES = $(addsuffix /...,. $(addprefix ./,$(filter-out .,$(MODULES))))

# The packages whose tests measure time with real servers and processes.
ALONE = /heed/(store/redis|cmd/heed/internal/(cli|server|soak))$$

FUZZTIME ?= 1m
SOAKTIME ?= 10m

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# "make deps test" installs before it tests.
.NOTPARALLEL:

.PHONY: deps
deps: ## Install the programs that tests start (such as Redis, nginx, Chromium, a C compiler), and print which and why
	@.ci/deps

.PHONY: test
test: ## Lint, and test all that is written in Go, of long tests a part; tests without their server are skipped
	@.ci/deps --missing
	@test -n "$$HEED_CONFORMANCE" || echo "HEED_CONFORMANCE is not set: the tests with shared case files are skipped"
	@test -n "$$HEED_CORPUS" || echo "HEED_CORPUS is not set: the tests with archives of real files are skipped"
	@# Most tests wait, so lint is beside them. A part of the tests measures time
	@# with real servers and processes: it comes at the end, when the machine does nothing else.
	@out=$$(mktemp); $(MAKE) --no-print-directory lint >$$out 2>&1 & \
	  $(MAKE) --no-print-directory test-together; tests=$$?; wait $$!; others=$$?; cat $$out; rm $$out; exit $$((tests + others))
	go test -vet=off -p 1 -parallel 4 $$(go list ./... | grep -E '$(ALONE)')

# Other programs build the libraries for other languages, and go test does not know from which files: without -count
# it would not test what has changed.
.PHONY: test-libraries
test-libraries: ## Build the libraries for other languages, and test them
	go test -vet=off -count=1 ./packages/...

# "make lint" has run vet. Of each package, four tests that may run beside others do, also on fewer processors.
.PHONY: test-together
test-together:
	go test -vet=off -p 4 -parallel 4 $$(go list $(PACKAGES) | grep -v heed/packages/ | grep -vE '$(ALONE)')
	go test -vet=off -tags heedsteps -run Steps ./robotstxt ./cmd/heed/internal/cli

.PHONY: test-all
test-all: cross release-check ## All tests: test with all real and hostile files and all long tests, test-libraries, cross and release-check
	@HEED_WHOLE=1 $(MAKE) test test-libraries

.PHONY: release-check
release-check: ## Install as users do, from a module proxy with an empty cache, and count the modules
	go run ./release check

.PHONY: release-dry
release-dry: ## Make all files of a release from the last commit, in dist; publish nothing
	release/dry.sh $(GORELEASER)

# Each operating system and each size of a word; a release builds more pairs of the same. The tests
# build linux/amd64. Then the packages without I/O.
SYSTEMS = linux/arm64 linux/386 darwin/arm64 windows/amd64 freebsd/amd64
WASM = ./robotstxt ./robotstxt/record ./crawlers ./origin ./usage ./compare $(addprefix ./internal/,conformance lint report)

.PHONY: cross
cross: ## Build the command for all operating systems, and the packages without I/O for WebAssembly
	@for s in $(SYSTEMS); do echo "== go build $$s"; GOOS=$${s%/*} GOARCH=$${s#*/} go build -o /dev/null ./cmd/heed || exit 1; done
	@for s in js wasip1; do echo "== go build $$s"; GOOS=$$s GOARCH=wasm go build $(WASM) || exit 1; done

.PHONY: race
race: ## Run all tests with the race detector
	@for m in $(MODULES); do echo "== go test -race $$m"; (cd $$m && go test -race ./...) || exit 1; done

.PHONY: lint
lint: ## Check formatting, vet and staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not formatted, run gofmt -w:"; gofmt -l .; exit 1; }
	go vet $(PACKAGES)
	go run $(STATICCHECK) $(PACKAGES)

.PHONY: vuln
vuln: ## Look for known vulnerabilities; skipped if the database cannot be reached
	@for m in $(MODULES); do echo "== govulncheck $$m"; \
	  out=$$(cd $$m && go run $(GOVULNCHECK) ./... 2>&1) && echo "$$out" || { \
	  echo "$$out"; echo "$$out" | grep -q 'fetching vulnerabilities' && echo "SKIPPED: the vulnerability database cannot be reached" || exit 1; }; done

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (default 1m)
	@for p in robotstxt robotstxt/record compare origin fetch cache internal/sitemap internal/report internal/lint internal/jsonobject internal/accesslog cmd/heed/internal/auditcmd; do for t in $$(grep -hoE 'func Fuzz[A-Za-z]+' $$p/*_test.go | cut -d' ' -f2); do echo "== $$p $$t"; \
	  go test ./$$p -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) || exit 1; done; done

.PHONY: soak
soak: ## Fetch from failing sites, with failing stores, and keep a crawl delay with fifty processes, each for SOAKTIME (default 10m)
	cd cmd/heed && HEED_SOAK=$(SOAKTIME) go test -timeout 0 -count=1 -v -run Soak ./internal/soak
	HEED_PACE=$(SOAKTIME) go test -timeout 0 -count=1 -v -run 'TestPace$$' ./store/redis

.PHONY: bench
bench: build ## Measure against other libraries (takes some minutes; with real files if HEED_CORPUS is set)
	-@cd bench/rivals && npm ci --silent --no-audit --no-fund
	@go run ./bench

.PHONY: bench-quick
bench-quick: ## Measure the table for many sites only, in about a minute
	@go run ./bench -rounds 2 quick

.PHONY: golden
golden: ## Write the expected terminal output of tests, and the rules in docs/lint.md again
	UPDATE_TRANSCRIPTS=1 go test -run 'Terminals|LintDocument' ./cmd/heed/internal/cli

.PHONY: bench-bulk
bench-bulk: build ## Measure heed filter over 10,000,000 URLs of the corpus (about 15 minutes and 6 GB of disk; needs HEED_CORPUS)
	@test -n "$$HEED_CORPUS" || { echo "HEED_CORPUS is not set: it must name the folder with robots-txt.tar.gz and urls.tar.gz"; exit 1; }
	@go run ./bench bulk

.PHONY: bench-scale
bench-scale: build ## Measure what heed filter costs with 10,000 to 3,000,000 origins (about 25 minutes and 20 GB of disk; needs HEED_CORPUS)
	@test -n "$$HEED_CORPUS" || { echo "HEED_CORPUS is not set: it must name the folder with robots-txt.tar.gz and urls.tar.gz"; exit 1; }
	@go run ./bench -rounds 2 scale

.PHONY: bench-collections
bench-collections: build ## Measure heed compile with a collection of others, of 1,000,000 and 4,000,000 rows (about 45 minutes and 20 GB of disk; needs HEED_CORPUS)
	@test -n "$$HEED_CORPUS" || { echo "HEED_CORPUS is not set: it must name the folder with robots-txt.tar.gz and urls.tar.gz"; exit 1; }
	@go run ./bench collections

.PHONY: soak-serve
soak-serve: ## Ask heed serve about sites that fail, then with stores that are damaged, each for SOAKTIME (default 10m), and check every answer
	cd cmd/heed && HEED_SOAK_SERVE=$(SOAKTIME) go test -timeout 0 -count=1 -v -run Serve ./internal/soak

.PHONY: page
page: ## Build the page that needs no server into build/page, and print its size (Brotli needs the program brotli)
	go run ./cmd/heed/internal/page/static build/page

.PHONY: build
build: ## Build the command into ./heed
	go build -o heed ./cmd/heed
