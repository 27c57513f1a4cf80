# Everything runs in .venv, which the first target that needs it makes. Asked of the machine: Python 3.11 and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
            $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
DEMO   ?= values/jobs/mnist.yaml
TESTS  ?= tests

BIN   := .venv/bin
READY := .venv/.ready

HELM4_VERSION := v4.3.1
HELM4         := .cache/helm4
HELM4_READY   := $(HELM4)/$(HELM4_VERSION)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv demo test check format golden bench wheel helm4 e2e cluster cluster-down clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(READY) ## make .venv, with chartgen, Helm and every tool in it

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "chartgen needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit("chartgen needs Python 3.11 or newer, and $(PYTHON) is %d.%d" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	@echo "Making .venv with $(PYTHON) (once; about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@# The pip that Python 3.11 brings knows no dependency groups.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --editable '.[helm,schemas]' --group dev
	@touch $@

demo: $(READY) ## render DEMO into build/demo, let Helm judge it, and show what came out
	@$(BIN)/python .ci/demo.py $(DEMO)

test: $(READY) ## run all tests, with line and branch coverage (TESTS=tests/unit/test_x.py for some, without coverage)
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup $(if $(filter tests,$(TESTS)),--cov=chartgen,) $(TESTS)

check: $(READY) ## run all linters, as CI does
	@failed=0; \
	for linter in 'ruff check' 'ruff format --check' mypy lint-imports 'yamllint --strict .' \
	  'pre-commit validate-config' 'pre-commit validate-manifest'; do \
	  echo "\$$ $$linter"; $(BIN)/$$linter || failed=1; \
	done; \
	exit $$failed

format: $(READY) ## mend what ruff can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

golden: $(READY) ## write what chartgen makes now into the golden files; read the diff before you commit it
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadgroup --bless -k 'golden or problems'

bench: $(READY) ## print how chartgen's times relate to Helm's
	$(BIN)/python -m tests.bench

wheel: $(READY) ## build dist/*.tar.gz, and from it dist/*.whl
	$(BIN)/python -m build --no-isolation

helm4: $(HELM4_READY) ## build Helm 4 for the tests (needs Go; about three minutes)

$(HELM4_READY):
	@command -v go >/dev/null || { echo "make helm4 needs Go: https://go.dev/doc/install" >&2; exit 1; }
	mkdir -p $(HELM4)
	@# Without the version in it, a Helm that `go install` built does not know its own.
	GOBIN='$(abspath $(HELM4))' CGO_ENABLED=0 go install \
	  -ldflags '-s -w -X helm.sh/helm/v4/internal/version.version=$(HELM4_VERSION)' \
	  helm.sh/helm/v4/cmd/helm@$(HELM4_VERSION)
	@touch $@

e2e: $(READY) $(HELM4_READY) ## run the charts on a real Kubernetes (E2E=tests/e2e/test_x.py for some; needs Linux, root and Go)
	@$(BIN)/python -m tests.e2e run $(E2E)

cluster: $(READY) $(HELM4_READY) ## start that Kubernetes for you to play with
	@$(BIN)/python -m tests.e2e up

cluster-down: $(READY) ## stop it, and remove all of it
	@$(BIN)/python -m tests.e2e down

clean: ## remove everything that make made
	rm -rf .venv .cache build dist .coverage .coverage.* .hypothesis .*_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
