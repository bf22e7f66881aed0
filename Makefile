# The tools, pinned. They run from the module cache and need no installation.
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK = golang.org/x/vuln/cmd/govulncheck@v1.8.0
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.12.5

# Every module of the repository.
MODULES = . examples/colly bench release

FUZZTIME ?= 1m
SOAKTIME ?= 10m

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What the tests talk to, and the packages of Debian that have it.
SERVERS = vsftpd:vsftpd redis-server:redis-server nginx:nginx-light ip:iproute2

.PHONY: deps
deps: ## Install the servers that tests talk to (as root where apt-get is; else they are skipped)
	@PATH="$$PATH:/usr/sbin:/sbin"; for s in $(SERVERS); do command -v $${s%:*} >/dev/null || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && { apt-get -qq update; apt-get -qq install -y $${s#*:}; } >/dev/null 2>&1; } || \
	  echo "$${s%:*} is not installed: the tests with it are skipped"; done

.PHONY: test
test: deps lint release-check ## Lint, run all tests, and check what is published
	@test -n "$$HEED_CONFORMANCE" || echo "HEED_CONFORMANCE is not set: the tests on shared case files are skipped"
	@test -n "$$HEED_CORPUS" || echo "HEED_CORPUS is not set: the tests on archives of real files are skipped"
	@# One package at a time: some measure how long others take to answer.
	@for m in $(MODULES); do echo "== go test $$m"; (cd $$m && go test -p 1 ./...) || exit 1; done
	go test -tags heedsteps -run Steps ./robotstxt

.PHONY: test-all
test-all: ## The same, with all real and hostile files where test draws some
	@HEED_WHOLE=1 $(MAKE) test

.PHONY: release-check
release-check: ## Install from a module proxy with an empty cache, and count what users download
	go run ./release check

.PHONY: release-dry
release-dry: ## Make all files of a release in dist, of the last commit, and publish nothing
	release/dry.sh $(GORELEASER)

# What the command is built for, and what packages without I/O are.
SYSTEMS = linux/amd64 linux/arm64 linux/386 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64
WASM = ./robotstxt ./robotstxt/record ./origin ./conformance ./report

.PHONY: cross
cross: ## Build the command for every system, and the packages without I/O for WebAssembly
	@for s in $(SYSTEMS); do echo "== go build $$s"; GOOS=$${s%/*} GOARCH=$${s#*/} go build -o /dev/null ./cmd/heed || exit 1; done
	@for s in js wasip1; do echo "== go build $$s"; GOOS=$$s GOARCH=wasm go build $(WASM) || exit 1; done

.PHONY: race
race: ## Run all tests with the race detector
	@for m in $(MODULES); do echo "== go test -race $$m"; (cd $$m && go test -race ./...) || exit 1; done

.PHONY: lint
lint: ## Check formatting, vet and staticcheck
	@test -z "$$(gofmt -l .)" || { echo "not formatted, run gofmt -w:"; gofmt -l .; exit 1; }
	@for m in $(MODULES); do echo "== go vet, staticcheck $$m"; (cd $$m && go vet ./... && go run $(STATICCHECK) ./...) || exit 1; done

.PHONY: vuln
vuln: ## Look for known vulnerabilities; says so where the database is out of reach
	@for m in $(MODULES); do echo "== govulncheck $$m"; \
	  out=$$(cd $$m && go run $(GOVULNCHECK) ./... 2>&1) && echo "$$out" || { \
	  echo "$$out"; echo "$$out" | grep -q 'fetching vulnerabilities' && echo "SKIPPED: the vulnerability database is out of reach" || exit 1; }; done

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (default 1m)
	@for p in robotstxt robotstxt/record origin sitemap fetch cache report cmd/heed/internal/cli; do for t in $$(grep -hoE 'func Fuzz[A-Za-z]+' $$p/*_test.go | cut -d' ' -f2); do echo "== $$p $$t"; \
	  go test ./$$p -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) || exit 1; done; done

.PHONY: soak
soak: ## Ask failing sites, with failing stores, for SOAKTIME (default 10m)
	cd cmd/heed && HEED_SOAK=$(SOAKTIME) go test -timeout 0 -count=1 -v -run Soak ./internal/soak

.PHONY: bench
bench: ## Measure against other libraries, on real files where they are there (takes some minutes)
	-@cd bench/rivals && npm ci --silent --no-audit --no-fund
	@go run ./bench

.PHONY: bench-quick
bench-quick: ## Measure what users of many sites pay, in about a minute
	@go run ./bench -real -rounds 2

.PHONY: picture
picture: ## Draw the README's picture, which a test holds current, and what tests show on terminals
	UPDATE_TRANSCRIPTS=1 go test -run 'Picture|Terminals' ./cmd/heed/internal/cli

.PHONY: screens
screens: ## Draw what heed shows on terminals of 40, 80 and 160 columns into ./screens, to look at (needs tmux)
	internal/screenshot/tmux.sh screens

.PHONY: build
build: ## Build the command into ./heed
	go build -o heed ./cmd/heed
