# Everything here sets itself up: a fresh machine needs make and python3 (3.9 or newer, with venv).
# tools/make_environments.py makes the environments, and says first what it will download.
#
# make demo    .venv with the package
# make check   .venv with linters and tools for tests; no framework. Under 3 minutes on 2 cores
# make test    .venv with PyTorch too, which the tests also run users' scripts with; .venv-tf1 and
#              .venv-tf2 with TensorFlow, where there is a Python for them. About 15 minutes on 2 cores
#
# TORCH=no and TENSORFLOW=no leave a framework and its tests out. TORCH_RELEASE=2.13.0 chooses the
# release of PyTorch, TORCH_INDEX=URL where to look for a CPU build of it. An interpreter named in
# ASCENDIFY_TORCH_PYTHON, ASCENDIFY_TF1_PYTHON or ASCENDIFY_TF2_PYTHON is used instead of the one
# made here.

PYTHON  ?= python3
# one more than the cores that tests are made for: some of them wait for a while
WORKERS ?= 3
VENV    := .venv
BIN     := $(VENV)/bin
DEMO    := examples/session-mnist

TENSORFLOW ?= yes
TORCH      ?= yes

ENVIRONMENTS = @"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 9))' \
  || { echo "error: $(PYTHON) is not Python 3.9 or newer; try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }; \
  PYTHON="$(PYTHON)" TENSORFLOW=$(TENSORFLOW) TORCH=$(TORCH) "$(PYTHON)" tools/make_environments.py
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
# users' interpreters that were made here, for a shell that runs tests
ifeq ($(TORCH),yes)
users += [ ! -e $(VENV)/bin/torchrun ] || export ASCENDIFY_TORCH_PYTHON="$${ASCENDIFY_TORCH_PYTHON:-$(CURDIR)/$(BIN)/python}";
endif
ifeq ($(TENSORFLOW),yes)
users += [ ! -e .venv-tf1/.made ] || export ASCENDIFY_TF1_PYTHON="$${ASCENDIFY_TF1_PYTHON:-$(CURDIR)/.venv-tf1/bin/python}";
users += [ ! -e .venv-tf2/.made ] || export ASCENDIFY_TF2_PYTHON="$${ASCENDIFY_TF2_PYTHON:-$(CURDIR)/.venv-tf2/bin/python}";
endif
no_users = unset ASCENDIFY_TORCH_PYTHON ASCENDIFY_TF1_PYTHON ASCENDIFY_TF2_PYTHON;

.DEFAULT_GOAL := help
.PHONY: help demo check test environments lint bench clean
# pip must not change an environment twice at the same time
.NOTPARALLEL:

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## migrate a bundled example and print its report
	$(ENVIRONMENTS) demo
	@rm -rf .demo
	$(BIN)/ascendify migrate $(DEMO) -o .demo/project -r .demo/report
	@echo
	@echo "The migrated project is in .demo/project, the report in every format in .demo/report."

check: lint ## before a commit: linters, types, the tests that need no framework (3 minutes)
	@$(no_users) $(PYTEST) --ignore tests/zoo

test: environments lint ## before a merge: linters, types and all tests (about 15 minutes)
	@$(users) $(PYTEST) $(if $(filter no,$(TORCH)),--ignore tests/zoo)

environments: ## make what the tests need: PyTorch, TensorFlow
	$(ENVIRONMENTS) test

# the zoo's types, and those of its helpers in the tests, are those of PyTorch
OF_ZOO := 'zoo|support/(toy|training_processes)'
lint: ## run the linters and the type checker
	$(ENVIRONMENTS) check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	@if [ -e $(BIN)/torchrun ]; then set -x; $(BIN)/mypy; \
	  else set -x; $(BIN)/mypy --follow-imports=silent --exclude $(OF_ZOO); fi

bench: TENSORFLOW := no
bench: environments ## measure; one line a figure
	@for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove what these targets made
	rm -rf $(VENV) .venv-tf1 .venv-tf2 .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
