# Everything here sets itself up: a fresh machine needs python3 (3.9 or newer, with venv) and make.
#
# The tests also run scripts on interpreters that stand for a user's: TensorFlow 1.15 where there is
# a Python 3.7, a current TensorFlow where there is a Python it knows, and PyTorch. TENSORFLOW=no and
# TORCH=no leave them out.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO   := examples/session-mnist

TENSORFLOW ?= yes
TORCH      ?= yes
# TORCH_RELEASE=2.13.0+cpu, with PIP_EXTRA_INDEX_URL naming PyTorch's index of builds for the processor
# alone, saves gigabytes for CUDA that nothing here uses
TORCH_RELEASE ?= 2.13.0
# the first of some commands that is a Python which starts
starts  = $(shell for p in $(1); do "$$p" -c '' 2>/dev/null && echo "$$p" && break; done)
pyenv   = $(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python)
FOR_TF1 = $(call starts,python3.7 $(call pyenv,3.7))
FOR_TF2 = $(call starts,python3.11 python3.10 python3.9 $(foreach v,3.11 3.10 3.9,$(call pyenv,$(v))))
FOR_TORCH = $(call starts,python3.11 python3.10 python3.12 python3.13 \
  $(foreach v,3.11 3.10 3.12 3.13,$(call pyenv,$(v))))

.DEFAULT_GOAL := help
.PHONY: help demo test tensorflow torch lint bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

demo: $(VENV)/.installed ## migrate a bundled example and print its report
	@rm -rf .demo
	$(BIN)/ascendify migrate $(DEMO) -o .demo/project -r .demo/report
	@echo
	@echo "The migrated project is in .demo/project, the report in every format in .demo/report."

test: lint tensorflow torch ## run the linters, the type checker and the tests
	@for v in 1 2; do \
	  [ ! -e .venv-tf$$v/.installed ] || export ASCENDIFY_TF$${v}_PYTHON=$(CURDIR)/.venv-tf$$v/bin/python; \
	done; \
	[ ! -e .venv-torch/.installed ] || export ASCENDIFY_TORCH_PYTHON=$(CURDIR)/.venv-torch/bin/python; \
	$(BIN)/python -m pytest -n 2 --dist loadgroup

tensorflow: ## make the interpreters with TensorFlow that the tests use
ifeq ($(TENSORFLOW),yes)
	@$(if $(FOR_TF1),$(MAKE) --no-print-directory .venv-tf1/.installed FOR_TF1=$(FOR_TF1),\
	  echo "no Python 3.7 here: tests with TensorFlow 1.15 are left out")
	@$(if $(FOR_TF2),$(MAKE) --no-print-directory .venv-tf2/.installed FOR_TF2=$(FOR_TF2),\
	  echo "no Python 3.9 to 3.11 here: tests with a current TensorFlow are left out")
endif

torch: ## make the interpreter with PyTorch that the tests use
ifeq ($(TORCH),yes)
	@$(if $(FOR_TORCH),$(MAKE) --no-print-directory .venv-torch/.installed FOR_TORCH=$(FOR_TORCH),\
	  echo "no Python 3.10 to 3.13 here: tests with PyTorch are left out")
endif

lint: $(VENV)/.installed-dev ## run the linters and the type checker
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/.installed-dev ## measure; one line a figure
	@for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

clean: ## remove what these targets made
	rm -rf $(VENV) .venv-tf1 .venv-tf2 .venv-torch .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The installs are editable, so only the metadata can make them stale.
$(VENV)/.installed: pyproject.toml src/ascendify/__init__.py | $(VENV)/.created
	$(PIP) install --editable '.[xlsx]'
	@touch $@

# torch first, by its release: a range would take the newest, with gigabytes for CUDA
$(VENV)/.installed-dev: pyproject.toml src/ascendify/__init__.py | $(VENV)/.created
	$(PIP) install torch==$(TORCH_RELEASE)
	$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 9))' \
	  || { echo "error: $(PYTHON) is older than 3.9; try: make PYTHON=python3.11 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

.venv-tf1/.installed: Makefile
	$(FOR_TF1) -m venv .venv-tf1
	.venv-tf1/bin/python -m pip --disable-pip-version-check --quiet install \
	  tensorflow==1.15.0 'protobuf<3.21' 'numpy<1.19'
	@touch $@

.venv-tf2/.installed: Makefile
	$(FOR_TF2) -m venv .venv-tf2
	.venv-tf2/bin/python -m pip --disable-pip-version-check --quiet install tensorflow-cpu==2.15.1
	@touch $@

.venv-torch/.installed: Makefile
	$(FOR_TORCH) -m venv .venv-torch
	.venv-torch/bin/python -m pip --disable-pip-version-check --quiet install \
	  torch==$(TORCH_RELEASE) accelerate transformers expecttest pillow pyyaml
	@touch $@
