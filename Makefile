# Each target makes .venv if need be and reuses it. PYTHON names the interpreter to make it with (3.11 or later).
ON_WINDOWS := $(filter Windows_NT,$(OS))
PYTHON ?= $(if $(ON_WINDOWS),python,python3)
BIN := .venv/$(if $(ON_WINDOWS),Scripts,bin)
# The tests to run, for example TESTS=tests/core; without a value, every one.
TESTS ?=
PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder
PLAIN_TESTS := $(addprefix tests/,core/test_state.py core/test_graph.py core/test_replay.py core/kernel/test_random.py \
	graphs/explicit graphs/test_callback.py graphs/test_networkx.py graphs/grid/test_clearance.py graphs/grid/test_graph.py \
	graphs/grid/test_world.py graphs/grid/test_pictures.py oracle policies/keyed policies/learned policies/mixture \
	policies/random_order policies/replay policies/replanning/beliefs policies/replanning/test_saved_beliefs.py \
	policies/steered policies/width)
# Modules are compiled when they are imported, which most are not.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt

.PHONY: help demo test test-all fuzz test-browser browser lint coverage bench docs results reproduce training \
	pretrained clean
.DEFAULT_GOAL := help

help: ## say what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: .venv/installed-plot ## a short tour: train a policy, planners side by side, a table, pictures, report.html
	$(BIN)/sailplan demo --out demo

test: lint ## lint, types, layers, and every test; those of the web page where a Chromium is found
	$(BIN)/python -m pytest $(PARALLEL) $(TESTS)

test-all: lint ## the same on every supported Python that is found, without torch (EXTRA=dev: with it)
	$(BIN)/python -m nox -- $(PARALLEL) $(TESTS)

test-browser: .venv/installed-dev browser ## the tests of the web page, in a real Chromium
	SAILPLAN_NEEDS_BROWSER=1 $(BIN)/python -m pytest tests/web/browser

browser: ## install Chromium from the packages of the system, if there is none and this may be done
	@for name in "$$SAILPLAN_CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable; do \
		command -v "$$name" >/dev/null && exit 0; \
	done; \
	test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get -q update >/dev/null && \
		apt-get -q install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null && exit 0; \
	echo "there is no Chromium, and it cannot be installed here: install it, or name it by SAILPLAN_CHROMIUM"; exit 1

lint: .venv/installed-dev ## style, types and the layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports

coverage: .venv/installed-dev ## which lines of core, graphs and policies tests reach, with kernels as plain Python
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run tests/plain_kernels.py
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run --append -m pytest -W ignore::RuntimeWarning $(PLAIN_TESTS)
	$(BIN)/coverage report --skip-covered

fuzz: .venv/installed-dev ## random inputs for MINUTES minutes (5): searches, readers, models, arguments, run folders
	$(BIN)/python -m fuzz --minutes $(or $(MINUTES),5) $(OPTIONS)

bench: .venv/installed-bench ## speed against other planners, generated worlds against real ones, steps of the environment
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/families.py
	$(BIN)/python benchmarks/environment.py

docs: .venv/installed-docs ## the documentation as a site: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --site-dir build/site

results: .venv/installed-plot ## the records, tables and figures of docs/results.md (ten minutes)
	$(BIN)/python benchmarks/results.py records
	$(BIN)/python benchmarks/results.py page

reproduce: .venv/installed-train ## the paper's table and figures, and report.html (hours; minutes with OPTIONS=--quick)
	$(BIN)/sailplan reproduce all --out build/reproduction$(findstring -quick,$(OPTIONS)) $(OPTIONS)

training: .venv/installed-train ## how far a training carries over, and how long it takes (an hour or more)
	for what in generated relative speed; do $(BIN)/python benchmarks/training.py $$what || exit 1; done

pretrained: .venv/installed-train ## train the policies that come with the package again, on generated worlds
	rm -rf build/pretrained
	for family in $$($(BIN)/python -c 'from sailplan.datasets import FAMILIES; print(*FAMILIES)'); do \
		$(BIN)/sailplan train --data $$family --seed 0 --out build/pretrained/sail/$$family || exit 1; \
		$(BIN)/sailplan train --data $$family --objective evaluations --seed 0 \
			--out build/pretrained/lazy-sail/$$family || exit 1; \
		$(BIN)/sailplan train --data $$family --algorithm belief --rounds 3 --worlds-per-vector 25 --seed 0 \
			--out build/pretrained/belief/$$family || exit 1; \
		for algorithm in sail lazy-sail belief; do \
			cp build/pretrained/$$algorithm/$$family/model.safetensors \
				src/sailplan/pretrained/$$algorithm/$$family.safetensors || exit 1; \
		done; \
	done
	$(BIN)/python benchmarks/any_map.py train --out src/sailplan/pretrained/sail/any.safetensors

clean: ## remove the environment and everything made
	rm -rf .venv demo reproduction build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .nox
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sailplan needs Python 3.11 or later; make it with PYTHON=..."; exit 1; }
	$(PYTHON) -m venv .venv

.venv/installed: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

.venv/installed-plot: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e '.[plot]'
	@touch $@ .venv/installed

.venv/installed-train: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e '.[train,plot]'
	@touch $@ .venv/installed .venv/installed-plot

.venv/installed-dev: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e '.[dev]'
	@touch $@ .venv/installed .venv/installed-plot .venv/installed-train .venv/installed-docs

.venv/installed-docs: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e '.[docs]'
	@touch $@ .venv/installed

.venv/installed-bench: .venv/pyvenv.cfg pyproject.toml constraints.txt
	$(PIP) -e '.[bench,gym]'
	@touch $@ .venv/installed
