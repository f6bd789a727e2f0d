# `make help` lists the commands, which work in a fresh clone. They need Rust, Node and a C compiler; `make test`
# installs the other tools that the tests need (docs/decisions/testing.md).
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build
.PHONY: help release bills fuzz-api check-operating test-cluster test-citus build run demo check check-otlp check-rust check-features development-program check-web check-e2e check-documents audit same-build test test-program test-release test-rust test-web test-browser \
	bench bench-growth lighthouse docs-pictures pictures test-tools tools rust-lane web-lane compile-tests

export CARGO_TARGET_DIR := $(CURDIR)/target
program := target/release/account
# The program of the browser tests and pictures: the development build, which the tests of the server compile too.
test_program := $(CURDIR)/target/debug/account
export ACCOUNT_TEST_PROGRAM = $(test_program)
web_files := $(shell find web locales -name node_modules -prune -o -path web/dist -prune -o -type f -print)
# The packages of the browser tests, and of the sample application that they start.
browser_packages := e2e/node_modules/.package-lock.json examples/sample-app/node_modules/.package-lock.json
nextest := $(shell command -v cargo-nextest)
# Four tests per processor, because some tests mostly wait for time limits (docs/decisions/testing.md).
export NEXTEST_TEST_THREADS ?= $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) * 4 )))
# The output of each runner (scripts/test-summary.sh), and the targets that failed.
logs := target/test-logs

build: web/dist/index.html
	cargo build --release --locked

# One archive of the program, its bills of materials, manual pages and completions: target/account-VERSION-TARGET.tar.gz.
release: build bills
	scripts/release.sh $(program)

# A development build, which takes a fraction of the time of `make build`. The screens are built beside the program,
# because a development build reads them when it runs and does not embed them.
run:
	$(MAKE) --no-print-directory --jobs=2 --output-sync=line development-program web/dist/index.html
	exec target/debug/account serve

# A development build too, with its sample application and with data that are deleted at the end.
demo:
	$(MAKE) --no-print-directory --jobs=2 --output-sync=line development-program web/dist/index.html \
		examples/sample-app/node_modules/.package-lock.json
	exec scripts/demo.sh target/debug/account

development-program: | tools
	cargo build --locked

check: check-rust check-features check-web check-e2e check-documents

# The table of commands in CONTRIBUTING.md.
help:
	@sed -En 's/^\| `(make .*)` \| (.*) \|$$/\1: \2/p' CONTRIBUTING.md | tr -d '`'

check-rust: | tools
	cargo fmt --check
	cargo clippy --locked --all-targets -- --deny warnings

# What `make test` leaves out, because each command compiles the crate once more: the optional traces with their tests,
# and the links of the documentation of private items. The feature only adds code.
check-features: | tools
	cargo clippy --locked --all-targets --features otlp -- --deny warnings
	RUSTDOCFLAGS='--deny warnings' cargo doc --quiet --locked --no-deps --document-private-items --features otlp

check-otlp: | tools
	cargo $(if $(nextest),nextest run,test) --locked --features otlp traces::

check-web: web/node_modules/.package-lock.json
	cd web && npx tsc --noEmit && npm run --silent lint && npm run --silent types -- --check

check-e2e: e2e/node_modules/.package-lock.json
	cd e2e && npm run --silent lint
	cd e2e && npm run --silent passkeys

# Links, headings and paths in the documents; tests that docs/asvs.md cites; a reason for each direct dependency.
check-documents:
	node scripts/check-documents.mjs

# Known vulnerabilities, licences, bans and sources of all dependencies (deny.toml). Not part of `make test`: the lists
# of vulnerabilities need a network, and the first run compiles the tools for minutes. `.ci/audit` runs it every week.
audit: target/tools/cargo-deny@0.20.2 bills
	target/tools/bin/cargo-deny --all-features --locked check
	node scripts/audit-npm.mjs

# Bills of materials (CycloneDX) of the program and of its screens, in target/.
bills: target/tools/cargo-cyclonedx@0.5.9 web/node_modules/.package-lock.json
	target/tools/bin/cargo-cyclonedx cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --override-filename account.cdx
	mv account.cdx.json target/
	cd web && npm sbom --sbom-format cyclonedx --omit dev >../target/account-web.cdx.json

target/tools/%: | tools
	env -u CARGO_TARGET_DIR cargo install --locked --root target/tools $*
	touch $@

# The build steps of deploy/Dockerfile in another folder: every byte of the screens must be equal.
same-build: web/dist/index.html
	scripts/same-build.sh

# Without the records of incremental compilation, which take a fifth of a first build and are of no use to it.
# Compiling and checking run in two lanes, one per core. The tests that measure time or drive a browser then run one
# after the other on an otherwise idle machine. Line numbers in backtraces cost a sixth of the compilation.
test: export CARGO_INCREMENTAL ?= 0
test: export CARGO_PROFILE_DEV_DEBUG ?= none
test: test-tools | $(logs)
	@rm -f $(logs)/*
	+@if [ "$$(scripts/slowness.sh)" = 1 ]; then export LOW_PRIORITY='nice -n 10'; fi; \
		$(MAKE) --no-print-directory --jobs=2 --output-sync=line rust-lane web-lane
	+@$(call go_on,,test-rust test-browser)
	@scripts/test-summary.sh $(logs)

# Makes one target after the other, and notes each that fails: the next ones are made in any case.
go_on = for target in $(2); do \
	$(1) $(MAKE) --no-print-directory $$target || echo "$$target" >>$(logs)/failed; done

rust-lane:
	+@$(call go_on,,check-rust compile-tests)

compile-tests: | tools
	$(if $(nextest),cargo nextest run --locked --no-run,cargo test --locked --no-run)

# With a low priority, because the last step of the other lane uses only one core. On a busy machine, a low priority
# would leave nothing to this lane.
web-lane:
	+@$(call go_on,$(LOW_PRIORITY),check-web check-e2e check-documents test-web same-build)

test-rust: web/dist/index.html | test-tools $(logs)
	scripts/with-postgres.sh $(if $(nextest),cargo nextest run --locked --no-fail-fast,cargo test --locked --no-fail-fast) \
		2>&1 | tee $(logs)/rust.log

test-web: web/node_modules/.package-lock.json | $(logs)
	export ACCOUNT_TEST_SLOW=$$(scripts/slowness.sh); cd web && npm test --silent 2>&1 | tee ../$(logs)/web.log

test-browser: test-program $(browser_packages) | test-tools $(logs)
	cd e2e && ../scripts/with-postgres.sh npm test --silent 2>&1 | tee ../$(logs)/browser.log

# The browser tests with the release binary of `make build`.
test-release: test_program := $(CURDIR)/$(program)
test-release: build $(browser_packages) | test-tools $(logs)
	cd e2e && ../scripts/with-postgres.sh npm test --silent 2>&1 | tee ../$(logs)/browser.log

# With the tests of the server, which were compiled before: alone, the program has dependencies with fewer features, and
# they would be compiled again.
test-program: web/dist/index.html
	cargo build --locked --bins --tests

# Three PostgreSQL servers under Patroni fail while people use two nodes: ten minutes.
# As root, in a network namespace of its own; needs Debian's package etcd-server, and Patroni from PyPI. Then the flows of
# the server on Citus (test-citus).
patroni := target/tools/patroni@4.1.5
in_namespace := unshare --net --mount --pid --fork --kill-child --mount-proc \
	sh -c 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up && exec "$$@"' sh
test-cluster: web/dist/index.html $(patroni)/bin/patroni | test-tools
	@[ "$$(id -u)" = 0 ] || { echo "test-cluster needs root, for network namespaces" >&2; exit 1; }
	@command -v etcd >/dev/null || { echo "etcd is missing; on Debian: apt-get install etcd-server" >&2; exit 1; }
	@# The namespace has no network.
	cargo fetch --locked
	$(MAKE) --no-print-directory test-program
	ACCOUNT_TEST_PATRONI=$(CURDIR)/$(patroni)/bin/patroni $(in_namespace) scripts/with-postgres.sh \
		$(if $(nextest),cargo nextest run --locked --run-ignored all --no-capture -E 'test(nodes::patroni)',cargo test --locked --test api -- --include-ignored --nocapture --test-threads 1 nodes::patroni)
	$(MAKE) --no-print-directory test-citus

# With Debian's Python, because PostgreSQL's user runs Patroni.
$(patroni)/bin/patroni:
	rm -rf $(patroni)
	/usr/bin/python3 -m venv $(patroni)
	$(patroni)/bin/pip install --quiet --disable-pip-version-check 'patroni[etcd3]==4.1.5' 'psycopg[binary]==3.3.9'

# The flows of the server on a Citus cluster of three members: a quarter of an hour on two cores. Needs Citus 13 or newer
# for the installed PostgreSQL. The tests change the database by SQL of their own, which Citus refuses in the excluded
# tests.
citus_tests := test(postgres) - test(/links::|killed|races|timing|_write_no_index|parallel_insert|parallel_invite|rotation|copy|failed_lookup/) \
	& test(/^(session|sign_in|sign_up|password_change|password_reset|email_change|reauthentication|second_factor|oidc|devices|device_approval|passkeys|deletion|support_view|migration|outbox|operation::upgrade)::/)
test-citus: web/dist/index.html | test-tools
	scripts/with-citus.sh cargo nextest run --locked --no-fail-fast --test-threads 2 -E '$(citus_tests)'

# The commands of docs/operating.md and docs/operating/, typed in a temporary folder: half a minute.
check-operating: test-program | test-tools
	@command -v sqlite3 >/dev/null || { echo "sqlite3 is missing; on Debian: apt-get install sqlite3" >&2; exit 1; }
	PATH="$$(scripts/postgres-bin.sh):$$PATH" scripts/with-postgres.sh scripts/check-operating.sh $(test_program)

# Measurements: each figure with its limit, on a quiet machine; they write docs/benchmarks.md and docs/loading.md. Two
# sizes for the growth: make bench-growth SIZES="10000 1000000".
# On the disk; tests use memory where they can (scripts/with-postgres.sh).
bench bench-growth lighthouse: export TMPDIR ?= /tmp
bench: build | test-tools
	scripts/with-postgres.sh cargo bench --locked --bench load

bench-growth: build | test-tools
	scripts/with-postgres.sh cargo bench --locked --bench load -- --growth $(SIZES)

# Lighthouse needs Node 22.
lighthouse: build benches/lighthouse/node_modules/.package-lock.json | test-tools
	npx --yes node@22 benches/lighthouse/run.mjs

# Schemathesis (from PyPI) with the OpenAPI document: about three minutes.
fuzz-api: build
	scripts/schemathesis.sh $(program)

# The pictures of the documents, in docs/pictures.
docs-pictures: test-program $(browser_packages) | test-tools
	cd e2e && npm run --silent docs-pictures

# New reference screenshots for the browser tests of the main screens: review them before committing.
pictures: test-program e2e/node_modules/.package-lock.json | test-tools
	cd e2e && npm run --silent pictures

# Without the type check of `npm run build`, which check-web makes.
web/dist/index.html: web/node_modules/.package-lock.json $(web_files)
	cd web && npm run --silent bundle

%/node_modules/.package-lock.json: %/package.json %/package-lock.json | tools
	cd $* && npm ci --no-audit --no-fund
	touch $@

test-tools: | tools
	@scripts/install-test-tools.sh

tools:
	@scripts/check-tools.sh

$(logs):
	mkdir -p $@
