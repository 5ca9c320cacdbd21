# Needs Go, git and make, nothing else: every tool is built from its Go module (hack/tools, hack/controlplane).

SHELL := /bin/bash -o pipefail
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# Functions that begin at 16 bytes rather than 32 save 0.5 MB.
LDFLAGS := -s -w -funcalign=16 -X github.com/kubectl-sched/kubectl-sched/pkg/cmd.version=$(VERSION)
# Without the tag and with cgo the linker keeps every exported method of every type: 30 MB more.
BUILD := CGO_ENABLED=0 go build -trimpath -tags grpcnotrace -ldflags "$(LDFLAGS)"
LINT := go tool -modfile=hack/tools/go.mod golangci-lint
FUZZTIME ?= 10s
SOAKTIME ?= 10m
BENCH ?= .

.DEFAULT_GOAL := help
.PHONY: help build test test-unit test-e2e soak lint verify check-release release bench update fuzz

help: ## list the targets
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

build: ## build bin/kubectl-sched, stripped
	@echo "building bin/kubectl-sched $(VERSION)"
	@$(BUILD) -o bin/kubectl-sched ./cmd/kubectl-sched
	@hack/check-size.sh bin/kubectl-sched

test: test-unit test-e2e ## run all tests

test-unit: ## run the quick tests, no control plane
	@echo "running the unit tests (the first time compiles kube-scheduler, about 4 minutes on 2 cores)"
	@go test ./...
	@go test -C hack/release ./...

test-e2e: ## run the end-to-end tests beside a real etcd, kube-apiserver and kube-scheduler
	@echo "running the end-to-end tests"
	@binaries=$$(hack/build-controlplane.sh) && \
		KUBECTL_SCHED_CONTROLPLANE=$$binaries go test -tags e2e -count=1 -timeout 30m ./test/e2e

soak: ## run the long end-to-end tests of kubectl sched run; churn takes SOAKTIME (10m)
	@echo "running the end-to-end tests of kubectl sched run, with $(SOAKTIME) of churn"
	@binaries=$$(hack/build-controlplane.sh) && KUBECTL_SCHED_SOAK=$(SOAKTIME) \
		KUBECTL_SCHED_CONTROLPLANE=$$binaries go test -tags e2e -count=1 -timeout 2h -v -run '^TestRun' ./test/e2e

lint: ## run golangci-lint
	@echo "linting (the first time builds golangci-lint, about 2 minutes on 2 cores)"
	@$(LINT) run
	@cd hack/release && go tool -modfile=../tools/go.mod golangci-lint run

verify: ## check formatting, go.mod and go.sum
	@hack/verify.sh

check-release: ## check workflows and release files, make the release of HEAD twice, install it by krew
	@hack/release/check.sh

release: ## release the tag that is checked out; the workflow release.yaml does it
	@hack/release/release.sh

bench: ## run the benchmarks; BENCH=regexp chooses some
	@echo "running the benchmarks $(BENCH)"
	@go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

update: ## write the golden files and the README's transcripts anew
	@hack/update.sh

fuzz: ## run every fuzz target for FUZZTIME (10s)
	@hack/fuzz.sh $(FUZZTIME)
