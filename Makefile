# From a bare Python 3.11 or newer to a result: `make demo` prints the tables, `make test` runs every check.
# Either builds .venv on its first run, which needs a package index; later runs need no network.

VENV := .venv
BIN := $(VENV)/bin
LINKS := .cache/types/standfast
DEMO_EXTRAS := langgraph
TEST_EXTRAS := all,dev

PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

# uv is fast; pip knows settings that uv does not read, such as a mirror named in pip.conf.
install = @echo "Installing standfast[$(1)] into $(VENV) ..."; \
	{ test -x $(BIN)/uv && $(BIN)/uv pip install -q --compile-bytecode --python $(BIN)/python -c constraints.txt -e '.[$(1)]'; } \
	|| $(BIN)/python -m pip install -q -c constraints.txt -e '.[$(1)]'

.PHONY: demo test check weights constraints clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo
	$(BIN)/standfast demo

test: check
	@$(BIN)/python -m standfast.harness.providers.smollm2 || echo "The tests that need the weights will be skipped." >&2
	$(BIN)/pytest -q -rs

# Type checkers do not follow the import hook of an editable install, so mypy reads the package through links.
check: $(VENV)/.test
	@mkdir -p $(LINKS)
	@for folder in harness graders scenarios results; do ln -sfn ../../../$$folder $(LINKS)/$$folder; done
	@ln -sfn ../../../api/__init__.py $(LINKS)/__init__.py
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The weights of `local/smollm2`, fetched once into the user's cache folder.
weights: $(VENV)/.test
	@$(BIN)/python -m standfast.harness.providers.smollm2

# Exact versions of everything, for every platform; existing pins stay unless UPGRADE=--upgrade.
constraints: $(VENV)/.made
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --all-extras --no-header --no-annotate $(UPGRADE) \
		--output-file constraints.txt pyproject.toml

# Everything that was built here; run folders and the weights stay.
clean:
	rm -rf $(VENV) .cache build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "standfast needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check uv || echo "No uv to be had; pip will do." >&2
	@touch $@

$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/.made
	$(call install,$(DEMO_EXTRAS))
	@touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/.made
	$(call install,$(TEST_EXTRAS))
	@touch $(VENV)/.demo $@
