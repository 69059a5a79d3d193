# Everything here sets itself up: a fresh machine needs python3 (3.9 or newer, with venv) and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO   := examples/session-mnist

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

demo: $(VENV)/.installed ## migrate a bundled example and print its report
	@rm -rf .demo
	$(BIN)/ascendify migrate $(DEMO) -o .demo/project -r .demo/report
	@echo
	@echo "The migrated project is in .demo/project, the report in every format in .demo/report."

test: lint ## run the linters, the type checker and the tests
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.installed-dev ## run the linters and the type checker
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/.installed-dev ## measure; one line a figure
	@for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove what these targets made
	rm -rf $(VENV) .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The installs are editable, so only the metadata can make them stale.
$(VENV)/.installed: pyproject.toml src/ascendify/__init__.py | $(VENV)/.created
	$(PIP) install --editable '.[xlsx]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml src/ascendify/__init__.py | $(VENV)/.created
	$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 9))' \
	  || { echo "error: $(PYTHON) is older than 3.9; try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@
