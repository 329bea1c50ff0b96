# The project's commands. Each sets up what it needs (scripts/setup.sh) and stops at the first step that fails.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test build fleet bench clean

# Set for every cargo: without it an older rustup would install all that rust-toolchain.toml names,
# which the demo does not need.
export RUSTUP_TOOLCHAIN := $(shell sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)

WASM_CRATES := --package whittle-model --package whittle-import --package whittle-analysis

help: ## This list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: ## Profile a slow program and its fixed version, and show both (about 30 s once it is built)
	@scripts/setup.sh demo
	cargo build --release --package whittle
	mvn -q -B -f java/workloads/pom.xml package
	$(MAKE) --silent -C native/workloads
	@cargo run --quiet --release --package whittle-xtask -- demo

# The tests of the programs measure running JVMs, so they run one at a time. Those of the fleet are among them because its
# query engine takes a while to build, and other packages would have it built once more.
test: export WHITTLE_PYTHON := $(CURDIR)/.cache/venv/bin/python
test: export WHITTLE_NOT_RUN := $(CURDIR)/.cache/not-run.txt
test: ## All checks and tests
	@scripts/setup.sh test
	@mkdir -p .cache && : > $(WHITTLE_NOT_RUN)
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo build $(WASM_CRATES) --target wasm32-unknown-unknown
	cargo xtask check
	$(MAKE) --silent -C web check
	mvn -q -B -f java/workloads/pom.xml package
	mvn -q -B -f java/jmh-profiler/pom.xml package
	$(MAKE) --silent -C native/workloads
	cargo xtask test --workspace --exclude whittle --exclude whittle-fleet
	RUST_TEST_THREADS=1 cargo xtask test --package whittle --package whittle-fleet
	npm --prefix web run --silent e2e
	cargo xtask examples
	@cargo xtask not-run

build: ## The program, as target/release/whittle
	@scripts/setup.sh build
	cargo build --release --package whittle

fleet: ## The fleet's program, as target/fleet/whittle-fleet (some 10 minutes)
	@scripts/setup.sh build
	cargo build --profile fleet --package whittle-fleet

bench: ## The commands that measure
	@cat bench/README.md

clean: ## Remove what was built, the demo's experiments and fetched tools
	rm -rf target demo .cache java/workloads/target java/healthy/target java/jmh-profiler/*/target java/test-servers/*/target
	$(MAKE) --silent -C web clean
