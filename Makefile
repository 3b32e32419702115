# Every target sets up what it needs; nothing has to be done before.

.DEFAULT_GOAL := help
.PHONY: help demo demo-plan test test-slow test-agents check format bench mutants picture reference changelog lock clean

bin := .venv/bin
python := $(bin)/python

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: ## mend the failing project in examples/, offline
	@scripts/setup demo
	@scripts/demo

demo-plan: ## carry out the plan in examples/ledger, offline
	@scripts/setup demo
	@scripts/demo-plan

# Tests wait for processes and disks as long as they compute: more of them than there are cores.
test: ## run the tests, without the slow ones and other agents
	@scripts/setup test
	$(bin)/pytest -n 4 --dist worksteal -m "not slow and not agents"

# Of each sweep, and of the other slow tests, the part of the day: CLEW_SWEEP=all runs them whole.
test-slow: export CLEW_SWEEP ?= $(shell echo $$(($$(date +%s) / 86400)))
test-slow: ## run the slow tests, sweeps and matrices: each day has its part of them
	@scripts/setup test
	@$(python) scripts/matrix.py
	@$(python) scripts/packages.py
	$(bin)/pytest -n 4 --dist worksteal --durations 20 --durations-min 15 -m slow || [ $$? -eq 5 ]

test-agents: ## run what needs the real programs of other agents, against a scripted model
	@scripts/setup test
	$(bin)/pytest -n 2 --dist worksteal -m agents

check: ## lint, format, types, layers
	@scripts/setup test
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/mypy
	$(bin)/pytest -q tests/test_layers.py tests/test_project.py

format: ## mend what lint and format can mend by themselves
	@scripts/setup test
	$(bin)/ruff check --fix
	$(bin)/ruff format

bench: ## measure Clew against its peers, into docs/benchmarks.md: make bench ONLY=journal for a part
	@scripts/setup bench
	@$(python) scripts/packages.py
	$(python) -m benchmarks $(if $(ONLY),--only $(ONLY)) --write docs/benchmarks.md

mutants: ## change the decision rules, one thing at a time: which changes does no test notice?
	@scripts/setup mutants
	@scripts/mutants

picture: ## record the README's pictures from real runs
	@scripts/setup test
	$(python) scripts/picture.py

reference: ## write docs/reference/ from the code
	@scripts/setup test
	$(python) scripts/reference.py

changelog: ## gather the fragments: make changelog VERSION=X.Y.Z
	@scripts/setup test
	$(python) scripts/changelog.py $(VERSION)

# Needs uv; add UPGRADE=--upgrade to move to the newest releases.
compile_for = uv pip compile --quiet --universal --python-version $(1) --generate-hashes \
	--no-strip-extras --no-emit-index-url --no-header $(UPGRADE)
compile := $(call compile_for,3.11)

lock: ## pin every requirement again, by hash
	$(compile) pyproject.toml --group dev --output-file requirements/dev.txt
	$(compile) pyproject.toml --constraint requirements/dev.txt --output-file requirements/run.txt
	$(compile) requirements/build.in --constraint requirements/dev.txt --output-file requirements/build.txt
	$(compile) requirements/demo.in --constraint requirements/dev.txt --output-file requirements/demo.txt
	for name in bench-journals bench-plans bench-localisation bench-subject bench-context mutants; do \
		$(compile) requirements/$$name.in --output-file requirements/$$name.txt || exit; done
	$(call compile_for,3.9) requirements/matrix-pytest7.in --output-file requirements/matrix-pytest7.txt
	$(call compile_for,3.9) requirements/matrix-pytest8.in --output-file requirements/matrix-pytest8.txt
	$(call compile_for,3.10) requirements/matrix-pytest9.in --output-file requirements/matrix-pytest9.txt
	$(call compile_for,3.9) requirements/matrix-plugins.in --output-file requirements/matrix-plugins.txt
	$(compile) --no-deps requirements/packages.in --output-file requirements/packages.txt
	$(compile) requirements/packages-tools.in --constraint requirements/dev.txt --output-file requirements/packages-tools.txt

clean: ## remove the environment and every cache
	rm -rf .venv .matrix .packages .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
