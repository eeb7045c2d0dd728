# Sets up by itself: every target needs only Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test test-all lint types quick unit bench docs lock verifiers

setup: $(READY)

# The lock file names every package, so pip resolves nothing (--no-deps): resolving, old versions of
# pip ask for the newest release of a package that is pinned and also needed with an extra.
$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(READY)
	$(BIN)/wardround run chatqa --task "*[05]" --trials 5 --out demo/run --html demo/report.html --force

test: lint types unit

test-all: lint types
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --numprocesses 3 --dist worksteal

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

# An empty variable lets Python keep what it compiled: tests, and what their many processes import.
quick: $(READY)
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m unit

unit: $(READY)
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m "not slow" --numprocesses 3 --dist worksteal

bench: $(READY)
	$(BIN)/python -m bench

docs: $(READY)
	$(BIN)/mkdocs build --strict

# A package in an environment of its own; its tests play trials with the command of this one.
verifiers: $(READY)
	$(PYTHON) -m venv integrations/verifiers/.venv
	cd integrations/verifiers && \
		.venv/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements.lock && \
		.venv/bin/python -m pip install --quiet --no-deps . && \
		WARDROUND=$(CURDIR)/$(BIN)/wardround .venv/bin/python -m pytest

# The lock file holds every version with its hashes, for all platforms and Pythons. Spark is left
# out: it is 450 MB, needs Java, and its tests skip without it (see docs/spark.md). So is t5:
# PyTorch is larger still (see docs/benchmarks/ehrsql-baselines.md). And googlesql: tests of its
# analyser skip without it (see docs/bigquery-dialect.md). `locks` has them by themselves, what a
# container installs, and what builds the package.
EXTRAS := bigquery gym inspect mcp openai-agents postgres ray web
COMPILE = $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --quiet --custom-compile-command "make lock"
SAME := --constraint requirements.lock
lock:
	$(BIN)/python -m pip install --quiet uv
	$(COMPILE) $(EXTRAS:%=--extra %) --group dev --group docs --output-file requirements.lock
	$(COMPILE) $(SAME) --output-file locks/base.lock
	$(COMPILE) $(SAME) $(EXTRAS:%=--extra %) --output-file locks/full.lock
	for extra in googlesql spark t5; do \
		$(COMPILE) $(SAME) --extra $$extra --output-file locks/$$extra.lock || exit 1; done
	$(COMPILE:pyproject.toml=integrations/verifiers/pyproject.toml) --group integrations/verifiers/pyproject.toml:dev \
		--output-file integrations/verifiers/requirements.lock
	echo hatchling | $(COMPILE:pyproject.toml=-) --output-file locks/build.lock
