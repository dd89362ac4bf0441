# make demo and make test install what is missing, build, and run. `make help` lists the rest.
#
# One profile serves all: tests run on what users run, and dependencies are compiled once.

SHELL := /bin/bash
TARGET := $(or $(CARGO_TARGET_DIR),target)
BINARIES := $(TARGET)/release

.PHONY: help install build demo test lint bench clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

install: ## Install what is missing: Debian packages, and NVIDIA's tools into .tools
	@scripts/install.sh

build: install ## Build the command `gicc`, the launcher `gicc-launch`, and the plugin for mlir-opt; compile collectives ahead
	@cargo build --release --quiet -p gicc-cli -p gicc-host -p gicc-plugin-mlir
	@scripts/ahead.sh $(BINARIES)

demo: build ## A kernel becomes PTX and runs on four simulated GPUs, told step by step
	@scripts/demo.sh $(BINARIES)

test: build ## Format, lints, unit tests, lit tests
	@scripts/test.sh $(BINARIES)

lint: install ## Format and lints only
	@cargo fmt --all --check
	@cargo clippy --release --workspace --all-targets --quiet -- -D warnings

bench: build ## gicc's own time on each example, and to check large modules; speed and memory of the simulator
	@cargo bench -p gicc

clean: ## Remove what was built; .tools stays
	@cargo clean --quiet
	@rm -rf build
