# The project's commands. Each command first installs the tools that it needs (scripts/setup.sh), and stops at
# the first step that fails.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo check test matrix matrix-jvm static nightly fuzz build dist fleet audit sbom bench clean

# Set for every call of cargo. Otherwise, an older rustup would install everything that
# rust-toolchain.toml names, but the demo does not need all of it.
export RUSTUP_TOOLCHAIN := $(shell sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)

# For commands that compile with zig, which scripts/setup.sh installs.
with_zig := PATH=$(CURDIR)/.cache/venv/bin:$$PATH

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: ## Profile a slow program, find the line, try and verify the fix (about 85 s once it is built)
	@scripts/setup.sh demo
	@scripts/build.sh whittle whittle-demo
	@scripts/build.sh workloads
	@$${CARGO_TARGET_DIR:-target}/release/whittle-demo

check test nightly: export WHITTLE_PYTHON := $(CURDIR)/.cache/venv/bin/python
check test nightly: export WHITTLE_NOT_RUN := $(CURDIR)/.cache/not-run.txt

# The common steps of check and test. $(1): the tier of exact tests, which `cargo xtask` explains. All cargo commands of
# one target select the same packages, as far as possible: another selection enables other features, so cargo compiles
# third-party crates again.
define checks
	@mkdir -p .cache && : > $(WHITTLE_NOT_RUN)
	cargo fmt --all --check
	cargo clippy --workspace --exclude whittle-fleet --all-targets -- -D warnings
	cargo xtask check
	cargo xtask test page
	cargo xtask test $(1)
endef

check: ## Before each commit: formatting, lint, types and the exact tests of most crates; no test runs twice
	@scripts/setup.sh check
	$(call checks,check)
	@cargo xtask summary

test: ## Before a pull request: all of check, the fleet, tests that measure programs, and the page in a browser
	@scripts/setup.sh test
	mvn -q -B -f java/workloads/pom.xml package
	mvn -q -B -f java/jmh-profiler/pom.xml package
	$(MAKE) --silent -C native/workloads
	$(call checks,exact)
	cargo xtask test agent
	@# Compiles for arm64 and for musl. make dist builds the programs, and make matrix-jvm runs them.
	$(with_zig) cargo-zigbuild check --quiet --package whittle --target aarch64-unknown-linux-musl
	cargo xtask sbom check
	cargo xtask test measured
	cargo xtask test browser
	cargo xtask examples
	@cargo xtask summary

matrix: static ## The engine kernel and its counts on Debian's kernels, in QEMU: 20 minutes; KERNELS="trixie bookworm:arm64" selects some
	@scripts/kernel-matrix.py $(KERNELS)

matrix-jvm: static ## The same with a JVM and limits of control groups, and on arm64: an hour
	@scripts/kernel-matrix.py --jvm $(KERNELS)

# The programs for the guests.
static:
	@scripts/setup.sh matrix
	@$(with_zig) cargo zigbuild --quiet --release --package whittle \
		--target x86_64-unknown-linux-musl --target aarch64-unknown-linux-musl

nightly: ## Every night: JDKs, kernels and measurements, for hours; PARTS="findings kernels" selects some
	@scripts/setup.sh test
	@mkdir -p .cache && : > $(WHITTLE_NOT_RUN)
	mvn -q -B -f java/workloads/pom.xml package
	mvn -q -B -f java/jmh-profiler/pom.xml package
	$(MAKE) --silent -C native/workloads
	@scripts/nightly.sh $(PARTS)

fuzz: ## New inputs for every reader of outside bytes; TIME=600 sets the seconds for each, READERS="jfr elf" selects some
	@scripts/setup.sh fuzz
	@scripts/fuzz.sh $(READERS)

build: ## The program, as target/release/whittle
	@scripts/setup.sh build
	@scripts/build.sh whittle

dist: ## Static programs for x86-64 and arm64, .deb, .rpm, container images and checksums, in target/dist
	@scripts/setup.sh dist
	@scripts/dist.sh

fleet: ## The fleet's program, as target/fleet/whittle-fleet (about 10 minutes)
	@scripts/setup.sh build
	cargo build --profile fleet --package whittle-fleet

audit: ## Licences, sources and known vulnerabilities of the packages that whittle uses; part of make nightly
	@scripts/setup.sh audit
	cargo xtask audit

sbom: ## The packages in whittle's programs as CycloneDX JSON, target/whittle.cdx.json
	@scripts/setup.sh build
	cargo xtask sbom

bench: ## The commands that measure
	@cat bench/README.md

clean: ## Remove what was built, the demo's experiments and fetched tools
	rm -rf target demo .cache java/workloads/target java/healthy/target java/jmh-profiler/*/target java/test-servers/*/target
	$(MAKE) --silent -C web clean
