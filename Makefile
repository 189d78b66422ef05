# Everything a newcomer needs: `make demo` and `make test`. Both set up a virtual environment in .venv first.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

N ?= 1000

# The tests start Craton some hundred times: its byte code is worth keeping.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check bench fuzz docs format lock clean help

help: ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

# Pinned versions with hashes first, then the package itself without looking for anything else.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Craton needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

demo: $(READY) ## set up and run an example
	$(BIN)/craton verify examples/c/pairs.c
	$(BIN)/craton solvers
	$(BIN)/python examples/interpolants.py
	$(BIN)/craton explain examples/c/pairs.c --refine 'newton(it, sp)' --refine 'newton(it, wp, lv)' --refine 'craig(z3)'

# In several sessions, one after the other: terms live as long as their process, and a process of a gigabyte forks and
# collects garbage so slowly that everything took half as long again, and whole runs five times as long.
RUNS    := $(addprefix tests/,verification validation commands testing report library processes bench docs serve)
PARTS   := tests/evidence tests/frontends tests/engines "tests/smt tests/logic" "tests/traces tests/trees"
THE_REST = $(addprefix --ignore=,$(RUNS) $(subst ",,$(PARTS)))

test: $(READY) ## set up and pass the tests
	@failed=0; \
	for part in "$(RUNS)" $(PARTS) "$(THE_REST)"; do $(BIN)/pytest -n 2 $$part || failed=1; done; \
	exit $$failed

check: $(READY) ## lint and type-check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY) ## measure the foundation; prints tables
	$(BIN)/python -m bench

fuzz: $(READY) ## compare the C front end with gcc on N generated programs: make fuzz N=10000
	PYTHONPATH=tests $(BIN)/python -m cfuzz.differential $(N)
	PYTHONPATH=tests $(BIN)/python -m cfuzz.csmith $$(( $(N) / 20 ))

docs: $(READY) ## build the site into docs/_build/html
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: $(READY) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## renew requirements.lock and requirements-docs.lock from pyproject.toml
	$(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/pip install --quiet uv
	$(VENV)-lock/bin/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --upgrade -o requirements.lock
	$(VENV)-lock/bin/uv pip compile pyproject.toml --extra docs --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-header --constraints requirements.lock -o requirements-docs.lock
	rm -rf $(VENV)-lock

clean: ## remove the environment and caches
	rm -rf docs/_build docs/commands.md $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
