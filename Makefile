# Firstflight. `make help` lists the jobs.
#
# Everything is set up inside the checkout: the Python environment in .venv, all build products in build.

PYTHON ?= python3
CC ?= gcc
VENV := .venv
BIN := $(VENV)/bin
FIRSTFLIGHT := $(BIN)/firstflight
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
# Stamps of the environment: the packages of the command `firstflight`, and all packages.
TOOLS := $(VENV)/.tools
READY := $(VENV)/.ready
# Modules are compiled at their first import; most are never imported.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
# worksteal: idle workers take over tests of busy workers. One more worker than cores: tests often wait for processes.
PYTEST := $(BIN)/pytest -q -n $(if $(filter 1,$(JOBS)),0,$(shell expr $(JOBS) + 1)) --dist worksteal
REPORTS := build/report
# Each job of `make test` records its skips and their reasons below this folder.
SKIPS := build/skips
NOTING := $(BIN)/python conformance/skips.py run $(SKIPS)
SITE_EXTRAS := $(INSTALL) --require-hashes --only-binary :all: -r requirements/site.txt
# Keep .pyc files: the tests start Python thousands of times.
export PYTHONDONTWRITEBYTECODE :=
# These variables may select another checkout: CDPATH changes the target of `cd conformance`.
unexport CDPATH FIRSTFLIGHT_ROOT

# An environment copied with its checkout would run the code of the original checkout, so create it again.
ifneq ($(wildcard $(VENV)/.checkout),)
ifneq ($(shell cat $(VENV)/.checkout 2>/dev/null),$(CURDIR))
$(shell rm -rf $(VENV))
endif
endif

.DEFAULT_GOAL := help
.PHONY: help setup tools sweep-extras conformance test check lint lint-language-baseline test-python test-c test-long coverage-c vectors generate mutants first-vectors tool-mutants prove cross fuzz fuzz-extras bpf wasm wasm-extras judge-extras site-extras draft-extras site bench docs site-parts results reports upstream \
    loaders dist peers live quinn quinn-example firefox picoquic adapters c-adapters cargo-adapters go-adapters java-adapters requirements clean

help:  ## List the jobs
	@echo "Firstflight: reference and vectors for transport startup algorithms"
	@echo
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22
	@echo
	@echo "Judge your own controller:  $(FIRSTFLIGHT) run --adapter 'COMMAND'   (docs/tutorial.md)"

setup: $(READY)  ## Make the Python environment in .venv, pinned with hashes

$(READY): $(TOOLS) requirements/dev.txt
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/dev.txt
	$(if $(shell command -v chromium),$(SITE_EXTRAS) || echo "setup: there is no driver for chromium here: tests in a browser will be skipped" >&2)
	@touch $@

tools: $(TOOLS)  ## The packages that the command firstflight needs, without plots: enough for make conformance

$(TOOLS): requirements/run.txt reference-py/pyproject.toml conformance/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or later is needed" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/run.txt
	$(INSTALL) --no-deps --no-build-isolation -e reference-py -e conformance
# Invalidated by the hash of the source: an edit of the same size and time counts.
	$(BIN)/python -m compileall -q --invalidation-mode checked-hash reference-py/src conformance/src conformance/generate conformance/stimuli
	@echo "$(CURDIR)" > $(VENV)/.checkout
	@touch $@

sweep-extras: setup  ## Parquet and Dask for `firstflight sweep`, pinned with hashes
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/sweep.txt

# The environment and the C port are independent: they are built in parallel, with the given jobs or one per core.
conformance:  ## Judge both references, then the third-party stacks as they are built, and check the vectors
	@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS)) tools c-adapters
	@mkdir -p $(REPORTS)
	$(FIRSTFLIGHT) run --both --build --report-json $(REPORTS)/report.json --junit $(REPORTS)/junit.xml
	$(FIRSTFLIGHT) dev vectors --check
	$(FIRSTFLIGHT) dev check
	$(BIN)/python conformance/studies defects.results --check
	@echo "report: $(REPORTS)/report.json; make docs writes the page State of the stacks from it"

# One after the other, in parallel with pytest: many use only one core. Their output follows the output of pytest.
# WITHOUT: jobs that have already run on this checkout, as in .ci/run.
BESIDE := $(filter-out $(WITHOUT),lint test-c loaders coverage-c mutants conformance docs site)
test: setup c-adapters  ## Run everything; the last line counts skipped tests by reason
	@mkdir -p build; echo "pytest; beside it: $(BESIDE)"; \
	$(MAKE) --no-print-directory $(BESIDE) > build/beside.txt 2>&1 & \
	$(MAKE) --no-print-directory test-python; tests=$$?; \
	wait $$!; beside=$$?; cat build/beside.txt; \
	if [ $$tests != 0 ]; then echo "make test-python: exit $$tests, above" >&2; exit 1; fi; exit $$beside
	@$(BIN)/python conformance/skips.py report $(SKIPS) $(REPORTS)/report.json

# For one algorithm: the vectors by both references, its self-contained programs and headers, the tests of its numbers,
# the mutants and the clauses. Tests of more than one algorithm run only in the whole suite.
ifdef ALGORITHM
check: setup c-adapters
	$(FIRSTFLIGHT) run --adapter c-port --adapter python-model --algorithm $(ALGORITHM) --jobs $(JOBS)
	$(PYTEST) reference-py/tests conformance/tests/test_plain.py conformance/tests/test_plain_headers.py -m "not long" \
	    -k "($(ALGORITHM) or $(subst -,_,$(ALGORITHM))) and not (random or cited)"
	$(FIRSTFLIGHT) dev mutants --score --algorithm $(ALGORITHM) --jobs $(JOBS)
	$(FIRSTFLIGHT) dev check
else
check: lint test-c test-python  ## Lint and the tests of both references and of the tools; with ALGORITHM=search the tests of one algorithm
endif

lint: setup  ## ruff, mypy strict, spelling, plain English, the ban on floating point
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python conformance/lint_no_float.py
	cd conformance && ../$(BIN)/python -m language check

lint-language-baseline: setup  ## Lower the numbers of findings that lint allows; FORCE=1 also raises them
	cd conformance && ../$(BIN)/python -m language baseline $(if $(FORCE),--force)

test-python: setup c-adapters  ## pytest: the model, the tools, Python against C
	FIRSTFLIGHT_SKIPS=$(SKIPS)/python $(PYTEST) -m "not long and not site"

test-c: setup  ## Unity tests of the C port with gcc and clang, under ASan and UBSan
	@$(NOTING) c $(MAKE) --no-print-directory --silent -C reference-c test PYTHON="$(CURDIR)/$(BIN)/python"

loaders: setup  ## The loaders of the vectors in seven languages with their adapters; loaders with missing tools are skipped
	@$(FIRSTFLIGHT) dev vectors --flat build/flat
	@$(BIN)/python conformance/tests/loader_answers.py build/answers
	@FIRSTFLIGHT="$(CURDIR)/$(FIRSTFLIGHT)" FIRSTFLIGHT_FLAT="$(CURDIR)/build/flat" FIRSTFLIGHT_ANSWERS="$(CURDIR)/build/answers" OUT="$(CURDIR)/build/loaders" $(NOTING) loaders conformance/loaders/test.sh

test-long: setup c-adapters  ## A million random events per profile, Python against C and plain programs; every published result again
	$(PYTEST) -m long
	$(FIRSTFLIGHT) dev results --check

coverage-c: setup  ## Measure by gcov that the vectors exercise every clause in C
	@if command -v gcov >/dev/null; then \
	    $(MAKE) --no-print-directory --silent -C reference-c coverage && find build/c-cov -name '*.gcda' -delete && \
	    $(FIRSTFLIGHT) run --adapter build/c-cov/firstflight-c > build/c-cov/run.txt && \
	    $(FIRSTFLIGHT) dev check --gcov build/c-cov; \
	else \
	    $(NOTING) coverage-c echo "coverage-c: skipped: there is no gcov here"; \
	fi

vectors: setup  ## Generate the vectors and the tables of the references
	cd conformance && ../$(BIN)/python -m generate.tables
	$(FIRSTFLIGHT) dev vectors

generate: vectors  ## The same as vectors

mutants: setup  ## The kill matrices: the vectors and paths that reject each wrong implementation
	$(FIRSTFLIGHT) dev mutants --json $(REPORTS)/kill-matrix.json
	$(BIN)/python docs/_ext/first_vectors.py $(REPORTS)/kill-matrix.json
	$(FIRSTFLIGHT) dev mutants --closed-loop --json $(REPORTS)/kill-matrix-closed-loop.json

first-vectors: setup  ## Order the vectors by the mutants that they reject, into spec/first-vectors.json
	$(FIRSTFLIGHT) dev mutants --json $(REPORTS)/kill-matrix.json > /dev/null
	$(BIN)/python docs/_ext/first_vectors.py $(REPORTS)/kill-matrix.json --write

tool-mutants: setup  ## Wrong versions of the loaders, the runner and the simulator, which the tests must detect (five minutes of CPU)
	$(BIN)/python conformance/tool_mutants/judge.py --jobs $(JOBS)

prove:  ## Prove the plain headers with CBMC and cvc5: no overflow, no undefined behaviour; errors planted in them are found
	@$(PYTHON) reference-c/proof/prove.py --jobs $(JOBS) && $(PYTHON) reference-c/proof/prove.py --plants --jobs $(JOBS) || [ $$? = 3 ]

cross: setup  ## The port for other machines and in other builds: the same answers to every vector, byte for byte (half an hour on two cores)
	@$(MAKE) --no-print-directory --silent -C reference-c cross-input PYTHON="$(CURDIR)/$(BIN)/python"
	@$(BIN)/python conformance/cross/cross.py

bpf:  ## Congestion controls for Linux as BPF objects, in build/bpf (needs clang and libbpf-dev)
	@$(MAKE) --no-print-directory --silent -C reference-c/bpf OUT="$(CURDIR)/build/bpf"

wasm:  ## The port and the simulator in WebAssembly, with their JavaScript, in build/wasm
	@$(MAKE) --no-print-directory --silent -C reference-c wasm

wasm-extras: setup  ## zig as a compiler for `make wasm`, pinned with hashes
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/wasm.txt

judge-extras:  ## The Python interpreter that judge.html carries, pinned with its hash (needs npm)
	@mkdir -p build/judge && cp docs/_judge/package.json docs/_judge/package-lock.json build/judge
	npm ci --prefix build/judge --ignore-scripts --no-audit --no-fund --loglevel=error

site-extras: setup  ## Playwright, which drives the system's Chromium in tests, and axe, pinned with hashes; `make setup` has them where there is a chromium
	$(SITE_EXTRAS)

draft-extras: setup  ## xml2rfc, for a test of `firstflight appendix`, pinned with hashes
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/draft.txt

site: docs  ## Check the built site in a browser: axe, widths, requests (needs chromium)
	FIRSTFLIGHT_SKIPS=$(SKIPS)/site $(BIN)/pytest -q -rs -m site

SECONDS ?= 60
fuzz: setup c-adapters  ## libFuzzer on controllers, plain headers, the C adapter, Atheris on the loader, mutated files of every kind on the command, each for SECONDS=60
	@$(BIN)/python conformance/fuzz/fuzz.py --seconds $(SECONDS)

fuzz-extras: setup  ## Atheris for `make fuzz`, pinned with hashes
	$(INSTALL) --require-hashes --only-binary :all: -r requirements/fuzz.txt

bench: setup  ## Instructions per ACK, bytes of state, events per second
	$(MAKE) --no-print-directory --silent -C reference-c bench
	$(BIN)/python conformance/bench_model.py

reports: tools  ## After `make conformance`: measure the defects, and rewrite conformance/results (results.json and badges)
	$(BIN)/python conformance/studies defects.measure
	$(BIN)/python conformance/studies defects.results

upstream: tools  ## Tests for the maintainers of stacks, which fail at the pinned versions (needs cargo and go)
	$(BIN)/python conformance/studies defects.upstream

results: setup  ## Compute published results again, and the page that compares them (half a minute on two cores)
	$(FIRSTFLIGHT) dev results --jobs $(JOBS)
	@$(MAKE) --no-print-directory docs

docs: setup site-parts  ## Build the documentation in build/docs
	@test -t 1 || quiet=-q; $(BIN)/sphinx-build $$quiet -W --keep-going -j auto -b html docs build/docs
	@echo "documentation: build/docs/index.html"

# Parts of the site that need optional tools. The navigation omits missing parts, and make prints the reason.
site-parts: setup
	@mkdir -p build
	@$(MAKE) --no-print-directory --silent wasm > build/site-wasm.log 2>&1 || \
	    $(MAKE) --no-print-directory --silent wasm-extras wasm > build/site-wasm.log 2>&1 || \
	    echo "docs: no WebAssembly module: $$(grep -v '^make' build/site-wasm.log | tail -n 1)" >&2
	@cmp -s docs/_judge/package-lock.json build/judge/package-lock.json && test -d build/judge/node_modules/pyodide || \
	    $(MAKE) --no-print-directory --silent judge-extras > build/site-judge.log 2>&1 || \
	    echo "docs: no interpreter for Judge a log: $$(grep -v '^make' build/site-judge.log | tail -n 1)" >&2

adapters: c-adapters cargo-adapters go-adapters java-adapters build/adapters/picoquic

c-adapters:
	@$(MAKE) --no-print-directory --silent -C reference-c adapters

# One program for each folder with a Cargo.toml, for stacks in Rust and in C.
CARGO_ADAPTERS := $(patsubst conformance/adapters/%/Cargo.toml,build/adapters/%,$(wildcard conformance/adapters/*/Cargo.toml))
CARGO_INPUT := $(addprefix conformance/adapters/,cargo-build.sh crates.sh crates.txt) conformance/include/firstflight_adapter.h \
    $(wildcard $(addprefix conformance/adapters/,c/* */Cargo.toml */build.rs */src/* rust/*/Cargo.toml rust/*/src/*))

cargo-adapters: $(CARGO_ADAPTERS)

$(CARGO_ADAPTERS): build/adapters/%: $(CARGO_INPUT)
	@mkdir -p $(@D)
	@conformance/adapters/cargo-build.sh conformance/adapters/$* $(@D)

build/adapters/picoquic: $(wildcard $(addprefix conformance/adapters/,picoquic/build.sh picoquic/requirements.txt picoquic/src/* c/*)) \
    conformance/include/firstflight_adapter.h
	@mkdir -p $(@D)
	@conformance/adapters/picoquic/build.sh $(BIN)/python $(@D)

go-adapters:
	@if command -v go >/dev/null; then \
	    $(MAKE) --no-print-directory -C conformance/adapters/go; \
	else \
	    echo "go-adapters: skipped: there is no go here"; \
	fi

java-adapters:
	@if command -v javac >/dev/null && command -v mvn >/dev/null; then \
	    $(MAKE) --no-print-directory -C conformance/adapters/kwik; \
	else \
	    echo "java-adapters: skipped: there is no javac or no mvn here"; \
	fi

PEER := GOWORK=off GOTOOLCHAIN=local GOFLAGS='-buildvcs=false -mod=readonly' go
peers:  ## Senders and receivers of real connections that need a build (needs go)
	@mkdir -p build/peers; \
	if ! command -v go >/dev/null; then \
	    echo "peers: skipped: there is no go here"; \
	elif cd conformance/studies/live/peers/quic-go && reason=$$($(PEER) list -deps . 2>&1 >/dev/null); then \
	    $(PEER) build -trimpath -o "$(CURDIR)/build/peers/quic-go-peer" .; \
	else \
	    case "$$reason" in *"checksum mismatch"* | *"missing go.sum entry"*) echo "peers: $$reason" >&2; exit 1;; esac; \
	    echo "peers: skipped: $$(echo "$$reason" | tail -n 1)"; \
	fi

live: setup peers  ## Run real senders, kernel and QUIC, over emulated paths, and store their agreement (10 minutes on two cores; as root 80 more for BPF)
	$(BIN)/python conformance/studies live.measure
	$(BIN)/python conformance/studies live.bpf.measure

quinn: setup peers  ## quinn as a sender, like quic-go in `make live` (three minutes to build; needs cargo and go)
	@conformance/adapters/cargo-build.sh conformance/studies/live/peers/quinn build/peers
	$(BIN)/python conformance/studies live.measure quinn

quinn-example: setup peers  ## Run the plain headers of four algorithms in quinn over three paths (three minutes to build, five to run; needs cargo and go)
	@conformance/adapters/cargo-build.sh reference-c/examples/quinn build/examples
	$(BIN)/python conformance/studies live.starts

FIREFOX := firefox-esr libnss3 libnss3-tools libgtk-3-0 libgtk-3-common libcolord2 libepoxy0 libvpx7 libwayland-cursor0 libwayland-egl1

firefox: setup peers  ## Firefox as a sender, unpacked from its Debian packages, nothing installed (80 MB; needs go and apt-get)
	@mkdir -p build/firefox/packages
	@cd build/firefox/packages && apt-get download -q $(FIREFOX) && for package in *.deb; do dpkg -x "$$package" ../root; done
	$(BIN)/python conformance/studies live.peers.firefox build/firefox/root

picoquic: setup  ## picoquic as a sender, by a wheel pinned with its hash (needs Python 3.13)
	@if command -v python3.13 >/dev/null && python3.13 -c "import ensurepip" 2>/dev/null; then \
	    python3.13 -m venv build/picoquic && \
	    build/picoquic/bin/python -m pip -q --disable-pip-version-check install --no-deps --require-hashes --only-binary :all: -r conformance/studies/live/peers/picoquic.txt && \
	    $(BIN)/python conformance/studies live.peers.picoquic build/picoquic/bin/python; \
	else \
	    echo "picoquic: skipped: there is no python3.13 here"; \
	fi

dist: setup  ## Archives in build/dist: vectors with loaders and packetdrill scripts, the C port, wheels, the site if it is built; SHA256SUMS
	@cd conformance && ../$(BIN)/python -m dist

PINS := uv pip compile --universal --generate-hashes --python-version 3.11 --no-header --no-emit-index-url -q

requirements: setup  ## Resolve requirements/*.in again (needs uv)
	$(PINS) requirements/dev.in -o requirements/dev.txt
	$(PINS) -c requirements/dev.txt requirements/run.in -o requirements/run.txt
	$(PINS) -c requirements/dev.txt requirements/sweep.in -o requirements/sweep.txt
	$(PINS) -c requirements/dev.txt requirements/fuzz.in -o requirements/fuzz.txt
	$(PINS) -c requirements/dev.txt requirements/wasm.in -o requirements/wasm.txt
	$(PINS) -c requirements/dev.txt requirements/site.in -o requirements/site.txt
	$(PINS) -c requirements/dev.txt requirements/draft.in -o requirements/draft.txt

clean:  ## Remove all build products, and the environment
	rm -rf build $(VENV)
