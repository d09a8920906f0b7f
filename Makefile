# make build test lint: every day. make nightly: before an issue is called resolved.
GO ?= go
BIN := bin
export CGO_ENABLED ?= 0
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
GOLANGCI_VERSION := v2.15.0

.PHONY: build install test race lint tidy-check cross fuzz clients arm64 oldcpu bench bench-docs nightly clean

build: ## the binary, in bin/
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/engram ./cmd/engram

install: ## the binary, where go puts binaries
	$(GO) install -trimpath -ldflags '$(LDFLAGS)' ./cmd/engram

test: ## all tests
	$(GO) test ./...

race: ## all tests with the race detector, which alone needs cgo
	CGO_ENABLED=1 $(GO) test -race -timeout 20m ./...

lint: ## vet, formatting, linters
	$(GO) vet ./...
	@command -v golangci-lint >/dev/null || CGO_ENABLED=0 $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	PATH="$$PATH:$$($(GO) env GOPATH)/bin" golangci-lint run ./...

tidy-check: ## go.mod says what is used
	$(GO) mod tidy -diff

cross: ## all six platforms
	@for p in $(PLATFORMS); do \
		echo "== $$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/$$p/ ./cmd/engram || exit 1; \
	done

FUZZTIME ?= 5m
fuzz: ## each fuzz target for FUZZTIME
	FUZZTIME=$(FUZZTIME) scripts/fuzz.sh

clients: ## real clients and the MCP Inspector, offline
	scripts/clients.sh

arm64: ## scores and order of what is found, on that processor
	scripts/arm64.sh

oldcpu: ## the encoder, on processors without AVX-512 and without AVX2
	scripts/oldcpu.sh

bench: build ## retrieval (with ENGRAM_BENCH) and speed
	@if [ -n "$$ENGRAM_BENCH" ]; then $(BIN)/engram bench retrieval $$(dirname "$$ENGRAM_BENCH"/*/queries.jsonl); else echo "retrieval skipped: set ENGRAM_BENCH to the folder of sets"; fi
	$(BIN)/engram bench speed

bench-docs: build ## the tables and plots of docs/benchmarks.md, measured anew (with ENGRAM_BENCH)
	scripts/bench-docs.sh

nightly: cross race arm64 oldcpu fuzz clients bench
	ENGRAM_TEST_ROUNDS=50 $(GO) test -count=1 -timeout 60m -run 'Process|Kill|Together' ./internal/store/sqlite ./cmd/engram

clean:
	rm -rf $(BIN)
