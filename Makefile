# Each target makes .venv if need be and reuses it. PYTHON names the interpreter to make it with (3.11 or later).
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: help demo test lint bench clean
.DEFAULT_GOAL := help

help: ## say what there is
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 8

demo: .venv/installed ## a minute's tour: planners on generated worlds, a table, pictures, report.html
	$(BIN)/sailplan demo --out demo

test: lint ## lint, types, layers, and every test
	$(BIN)/python -m pytest -n 2

lint: .venv/installed-dev ## style, types and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: .venv/installed-bench ## speed against other planners, and generated worlds against real ones
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/families.py

clean: ## remove the environment and everything made
	rm -rf .venv demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sailplan needs Python 3.11 or later; make it with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

.venv/installed-dev: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[dev]'
	@touch $@ .venv/installed

.venv/installed-bench: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[bench]'
	@touch $@ .venv/installed
