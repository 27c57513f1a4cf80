# Requires Python 3.11 or newer and make. Everything runs in .venv, which is made by the first
# target that needs it.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
            $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
DEMO   ?= values/jobs/mnist.yaml
TESTS  ?= tests

BIN   := .venv/bin
READY := .venv/.ready

# What Python compiles is kept, whatever the environment says: otherwise each of the many processes
# of a run would compile chartgen, and each worker of pytest all tests, anew.
unexport PYTHONDONTWRITEBYTECODE

HELM3_VERSION := v3.22.0
HELM3_KUBERNETES := 37
HELM3_FLAGS := -s -w -X helm.sh/helm/v3/internal/version.version=$(HELM3_VERSION) \
  -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 \
  -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(HELM3_KUBERNETES) \
  -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1 \
  -X helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=$(HELM3_KUBERNETES)
HELM3         := .cache/helm3
HELM3_READY   := $(HELM3)/$(HELM3_VERSION)

HELM4_VERSION := v4.3.1
HELM4         := .cache/helm4
HELM4_READY   := $(HELM4)/$(HELM4_VERSION)

# Flux replaces Helm by a fork of its own, which no proxy of modules has; Helm's is used instead.
FLUX_MODULES := github.com/fluxcd/helm-controller@v1.6.3 github.com/fluxcd/source-controller@v1.9.0 \
  github.com/fluxcd/kustomize-controller@v1.9.1
FLUX_HELM    := helm.sh/helm/v4@v4.2.4
FLUX         := .cache/flux
FLUX_READY   := $(FLUX)/.ready

CRD_MODULES := github.com/argoproj/argo-cd/v3@v3.1.0 $(FLUX_MODULES)

ENGINE         := .cache/gitops-engine
ENGINE_READY   := $(ENGINE)/gitops_engine
ENGINE_SOURCES := $(wildcard tests/gitops_engine/*)

REGISTRY_VERSION := v0.20.2
REGISTRY         := .cache/registry
REGISTRY_READY   := $(REGISTRY)/$(REGISTRY_VERSION)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help venv demo test unit check format generate golden bench fuzz fuzz-long properties wheel lock sbom \
        helm3 helm4 resident-helm lint-charts registry gitops-engine crds flux e2e e2e-all cluster cluster-down clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(READY) ## make .venv, with chartgen, Helm and all tools

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "chartgen needs Python 3.11 or newer; name one with:" \
	  "make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(None if v >= (3, 11) else \
	  "chartgen needs Python 3.11 or newer, and $(PYTHON) is %d.%d" % v[:2])'
	@echo "Making .venv with $(PYTHON) (once; about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@# The pip of Python 3.11 does not support dependency groups.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@# With LOCKED=1, as in CI, exactly what .ci/requirements.lock names, by its hashes.
	@if [ -n "$(LOCKED)" ]; then \
	  $(BIN)/python -m pip install --quiet --require-hashes --requirement .ci/requirements.lock && \
	  $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .; \
	else \
	  $(BIN)/python -m pip install --quiet --editable '.[helm,schemas]' --group dev; \
	fi
	@touch $@

demo: $(READY) ## render DEMO into build/demo, run Helm on it, and show the result
	@$(BIN)/python .ci/demo.py $(DEMO)

test: $(READY) ## run all tests, with coverage (TESTS=tests/unit/test_x.py: some of them, without)
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal $(if $(filter tests,$(TESTS)),--cov=chartgen,) $(TESTS)

unit: $(READY) ## run the tests that need neither Helm nor the network, in less than a minute
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m 'not helm and not slow' tests/unit tests/house

check: $(READY) ## run all linters, and check that generated parts are up to date
	@failed=0; \
	for linter in 'ruff check' 'ruff format --check' mypy lint-imports 'yamllint --strict .' \
	  'pre-commit validate-config' 'pre-commit validate-manifest' 'python .ci/generate.py --check'; do \
	  echo "\$$ $$linter"; $(BIN)/$$linter || failed=1; \
	done; \
	exit $$failed

format: $(READY) ## fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

generate: $(READY) ## write the tables in README.md, and the schemas of clouds and of pods
	@$(BIN)/python .ci/generate.py

golden: $(READY) ## write what chartgen makes now into the golden files; read the diff
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal --bless -k 'golden or problems'

bench: $(READY) ## print how chartgen's times relate to Helm's
	$(BIN)/python -m tests.bench

fuzz: $(READY) ## judge 5,000 inputs that break things (SEED=2: others; failures are kept in build/fuzz)
	$(BIN)/python -m tests.fuzz $(or $(INPUTS),5000) $(or $(SEED),1)

fuzz-long: $(READY) ## the same with 100,000 inputs, in about half an hour
	$(BIN)/python -m tests.fuzz 100000 $(or $(SEED),2)

properties: $(READY) ## try ten times as many examples of every property as make test does
	CHARTGEN_EXAMPLES=10 $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal -m hypothesis

wheel: $(READY) ## build dist/*.tar.gz, and dist/*.whl from it
	$(BIN)/python -m build --no-isolation

lock: $(READY) ## resolve all packages anew, and write .ci/requirements.lock with their hashes
	$(BIN)/python .ci/supply.py lock

sbom: $(READY) ## write build/sbom.cdx.json: the packages that chartgen and its extras bring
	@mkdir -p build
	$(BIN)/python .ci/supply.py sbom > build/sbom.cdx.json

helm3: $(HELM3_READY) ## build the newest Helm 3 for the tests (needs Go; about three minutes)

$(HELM3_READY):
	@command -v go >/dev/null || { echo "make helm3 needs Go: https://go.dev/doc/install" >&2; exit 1; }
	mkdir -p $(HELM3)
	@# A Helm that `go install` builds does not know its version unless it is told, nor the
	@# newest Kubernetes that it supports: that of its modules.
	GOBIN='$(abspath $(HELM3))' CGO_ENABLED=0 go install \
	  -ldflags '$(HELM3_FLAGS)' \
	  helm.sh/helm/v3/cmd/helm@$(HELM3_VERSION)
	@touch $@

helm4: $(HELM4_READY) ## build Helm 4 for the tests (needs Go; about three minutes)

$(HELM4_READY):
	@command -v go >/dev/null || { echo "make helm4 needs Go: https://go.dev/doc/install" >&2; exit 1; }
	mkdir -p $(HELM4)
	@# A Helm that `go install` builds does not know its version unless it is told.
	GOBIN='$(abspath $(HELM4))' CGO_ENABLED=0 go install \
	  -ldflags '-s -w -X helm.sh/helm/v4/internal/version.version=$(HELM4_VERSION)' \
	  helm.sh/helm/v4/cmd/helm@$(HELM4_VERSION)
	@touch $@

resident-helm: $(READY) $(HELM4_READY) ## build Helms that run many commands each, which makes the tests faster (needs Go)
	@command -v go >/dev/null || { echo "make resident-helm needs Go: https://go.dev/doc/install" >&2; exit 1; }
	$(BIN)/python .ci/resident_helm.py $(BIN)/helm $(HELM4)/helm

lint-charts: $(READY) ## run the linters of other projects on the chart of every example (builds them once; needs Go)
	@$(BIN)/python .ci/lint_charts.py

registry: $(REGISTRY_READY) ## build a registry for the tests of packages (needs Go)

$(REGISTRY_READY):
	@command -v go >/dev/null || { echo "make registry needs Go: https://go.dev/doc/install" >&2; exit 1; }
	mkdir -p $(REGISTRY)
	GOBIN='$(abspath $(REGISTRY))' CGO_ENABLED=0 go install \
	  github.com/google/go-containerregistry/cmd/registry@$(REGISTRY_VERSION)
	@touch $@

gitops-engine: $(ENGINE_READY) ## build what tells health and drift as Argo CD does, for the tests (needs Go)

$(ENGINE_READY): $(ENGINE_SOURCES)
	@command -v go >/dev/null || { echo "make gitops-engine needs Go: https://go.dev/doc/install" >&2; exit 1; }
	mkdir -p $(ENGINE)
	cd tests/gitops_engine && CGO_ENABLED=0 go build -trimpath -mod=readonly -ldflags '-s -w' -o '$(abspath $@)' .
	@touch $@

crds: ## fetch the schemas of Argo CD's and Flux's objects for the tests (needs Go)
	@command -v go >/dev/null || { echo "make crds needs Go: https://go.dev/doc/install" >&2; exit 1; }
	@mkdir -p .cache/crds
	@for module in $(CRD_MODULES); do \
	  folder=$$(cd .cache && go mod download -json "$$module" | sed -n 's/.*"Dir": "\(.*\)",/\1/p'); \
	  test -n "$$folder" || { echo "$$module cannot be had" >&2; exit 1; }; \
	  find "$$folder/config/crd/bases" "$$folder/manifests/crds" -name '*.yaml' -exec cp {} .cache/crds/ \; 2>/dev/null || true; \
	done; chmod u+w .cache/crds/*

flux: $(FLUX_READY) ## build Flux's controllers for the tests (needs Go; about ten minutes)

$(FLUX_READY):
	@command -v go >/dev/null || { echo "make flux needs Go: https://go.dev/doc/install" >&2; exit 1; }
	@mkdir -p $(FLUX)
	@for module in $(FLUX_MODULES); do \
	  name=$$(basename "$${module%@*}"); own="$(abspath $(FLUX))/$$name"; \
	  folder=$$(cd .cache && go mod download -json "$$module" | sed -n 's/.*"Dir": "\(.*\)",/\1/p'); \
	  test -n "$$folder" || { echo "$$module cannot be had" >&2; exit 1; }; \
	  cp "$$folder/go.mod" "$$own.mod"; cp "$$folder/go.sum" "$$own.sum"; chmod u+w "$$own".*; \
	  go mod edit -dropreplace="$${module%@*}/api" -dropreplace=$(firstword $(subst @, ,$(FLUX_HELM))) "$$own.mod"; \
	  case $$name in helm-*) go mod edit -require=$(FLUX_HELM) "$$own.mod";; esac; \
	  (cd "$$folder" && CGO_ENABLED=0 GOFLAGS=-mod=mod go build -modfile="$$own.mod" -ldflags '-s -w' -o "$$own" .) \
	    || exit 1; \
	done
	@touch $@

e2e: $(READY) $(HELM4_READY) $(ENGINE_READY) $(REGISTRY_READY) ## run the charts on a real Kubernetes (needs Debian, root and Go; E2E=tests/e2e/test_x.py)
	@$(BIN)/python -m tests.e2e run $(E2E)

e2e-all: export CHARTGEN_E2E_ALL = 1
e2e-all: crds $(FLUX_READY) e2e ## the same with the largest images too, such as PyTorch's

cluster: $(READY) $(HELM4_READY) ## start that Kubernetes, and leave it running
	@$(BIN)/python -m tests.e2e up

cluster-down: $(READY) ## stop and remove it
	@$(BIN)/python -m tests.e2e down

clean: ## remove everything that make has made
	rm -rf .venv .cache build dist .coverage .coverage.* .hypothesis .*_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
