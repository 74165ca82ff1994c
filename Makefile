# Thin: every target calls tools/bootstrap, which installs what is missing, and then the command line.
SWEEP ?= quick
# Empty: every stack in envs/. What measures begins with those of the thesis; a sweep that needs another one installs it.
STACKS ?=
MIRRORED := $(STACKS)

# Packages for a machine without a network, or for the time after a registry.
MIRROR ?= _mirror
ifneq ($(OFFLINE),)
export LONGLOOK_MIRROR := $(abspath $(MIRROR))
endif

# Inside `nix develop` the shell provides everything; elsewhere it is in .venv.
ifeq ($(if $(IN_NIX_SHELL),$(LONGLOOK_NIX)),1)
BIN :=
else
BIN := .venv/bin/
endif
# The first folder holds the Go that the bootstrap fetches where the system's is too old, and nothing otherwise.
export PATH := $(CURDIR)/.venv/go/go/bin:$(PATH):/usr/local/go/bin:/usr/sbin:/sbin

.DEFAULT_GOAL := help
.PHONY: help bootstrap reproduce check test test-measuring test-others book pdf archive mirror bench soak chapter doctor audit clean

help:
	@echo "make reproduce [SWEEP=quick]   measure a sweep on this machine, compare it with the paper, build the book"
	@echo "make test [ALL=1]              what is fast, one of each thing on the real one, and the checks; or every test"
	@echo "make check                     form, types and imports of the code (ruff, mypy, import-linter)"
	@echo "make doctor                    check this machine"
	@echo "make book [FRESH=1]            build the book from the data that is there (every chapter anew)"
	@echo "make pdf                       the same as one PDF, with bookmarks and page numbers"
	@echo "make archive                   code, data, locks and the built book as one tarball, and its digest"
	@echo "make mirror [DEBS=1]           keep every package that the locks name in _mirror/; make OFFLINE=1 ... installs from it"
	@echo "make audit                     compare the re-measured with the published values"
	@echo "make chapter NAME=... [QUICK=1]  re-measure one chapter"
	@echo "make bench                     measure the link emulator"
	@echo "make soak [SECONDS=3600] [FAULTS=...] [SEED=1]  a sweep under faults: nothing may be lost or left (root)"
	@echo "make clean                     remove what was built here (data and the per-user cache stay)"

bootstrap:
	@tools/bootstrap $(NEEDS) $(STACKS)

# What measures needs root, or user namespaces, and says so before it installs anything.
reproduce bench chapter soak: NEEDS := --root
reproduce bench chapter book pdf archive mirror audit doctor: STACKS := $(or $(STACKS),quicv1 gquic37)
ifneq ($(ALL),)
test: NEEDS := --tests
else
test: STACKS := $(or $(STACKS),quicv1 gquic37)
endif

reproduce: bootstrap
	@$(BIN)longlook reproduce --sweep $(SWEEP)

# All of them, however many fail, which makes the status bad.
check: bootstrap
	@status=0; \
	for check in "ruff format --check --quiet" "ruff check --quiet" mypy "lint-imports --no-logo"; do \
		echo "check: $$check"; \
		$(BIN)$$check || status=1; \
	done; \
	exit $$status

# Without ALL what is fast, and one of each thing on the real one (tests/conftest.py). What measures on namespaces mostly
# waits, for its turn too, and runs beside all else, which fills the processors. With ALL three of it measure and one
# worker does all else: beside two such workers four tests in 464 failed twice. The checks and the tools' own tests are
# among them; the last line adds up both summaries. PYTEST_ARGS="-k word", MARK="not root": some of them.
# What `make archive` asks for is the tree on which all of them passed.
# Python keeps what it compiles, also where it is told not to: else each of a thousand processes compiles this package again.
test: bootstrap
	@counted=$$(mktemp); \
	LONGLOOK_COUNTED=$$counted $(MAKE) --no-print-directory -k -j2 test-measuring test-others; status=$$?; \
	awk '{ n[$$2] += $$1 } END { split("failed passed skipped error rerun", words); for (i = 1; i in words; i++) \
		if (n[words[i]]) { printf "%s%d %s", comma, n[words[i]], words[i]; comma = ", " } print " in all" }' $$counted; \
	rm $$counted; \
	if [ $$status = 0 ] && [ "$(ALL)$(MARK)$(PYTEST_ARGS)" = 1 ] && git diff --quiet HEAD; then \
		mkdir -p .longlook; git rev-parse 'HEAD^{tree}' > .longlook/tested; fi; \
	exit $$status

PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)python -m longlook.host.userns $(BIN)python -m pytest
PYTEST += --dist loadfile --no-loadscope-reorder
ONLY = $(if $(MARK), and ($(MARK)))
OR_NONE := $(if $(MARK)$(PYTEST_ARGS),|| [ $$? = 5 ])

test-measuring:
	@$(PYTEST) $(if $(ALL),-n 3,-n 1) -m "netns$(ONLY)" $(PYTEST_ARGS) tests/contract $(if $(ALL),tests/system) $(OR_NONE)

test-others:
	@$(PYTEST) -n $(if $(ALL),1,2) -m "not netns$(ONLY)" $(PYTEST_ARGS) $(if $(ALL),tests,tests/fast tests/contract) $(OR_NONE)

book: bootstrap
	@$(BIN)longlook book $(if $(FRESH),--fresh)

pdf: bootstrap
	@$(BIN)longlook pdf

archive: bootstrap
	@$(BIN)longlook archive

mirror: bootstrap
	@$(BIN)longlook mirror --folder $(MIRROR) $(if $(DEBS),--debs) $(MIRRORED)

bench: bootstrap
	@$(BIN)longlook bench

chapter: bootstrap
	@test -n "$(NAME)" || { echo "which chapter? make chapter NAME=..." >&2; exit 2; }
	@$(BIN)longlook chapter $(NAME) $(if $(QUICK),--quick)

soak: bootstrap
	@$(BIN)longlook soak $(if $(SECONDS),--seconds $(SECONDS)) $(if $(FAULTS),--faults $(FAULTS)) $(if $(SEED),--seed $(SEED))

doctor: bootstrap
	@$(BIN)longlook doctor

audit: bootstrap
	@$(BIN)longlook audit

clean:
	rm -rf .venv .build _build book/_build .pytest_cache .ruff_cache .mypy_cache .import_linter_cache .hypothesis \
		.longlook/bootstrap.log
