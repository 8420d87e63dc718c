#!/usr/bin/env bash
# Run the tests of the layers that import no torch on each other Python that this machine has.
# Arguments go to pytest: `-m "not needs_torch"` adds the slow ones.
set -euo pipefail
cd "$(dirname "$0")/.."

for version in 3.10 3.12 3.13; do
    python=$(tools/find_python.sh "$version")
    if [ -z "$python" ]; then
        echo "torch-free tests: no Python $version on this machine"
        continue
    fi
    venv=.venv-$version
    if [ ! -e "$venv/.ready" ] || [ constraints.txt -nt "$venv/.ready" ]; then
        "$python" -m venv --clear "$venv"
        "$venv/bin/python" -m pip --disable-pip-version-check install --quiet -c constraints.txt pytest click rich jinja2
        touch "$venv/.ready"
    fi
    suites=()
    for suite in diagnostics syntax lint report cli; do
        if [ -d "tests/unit/$suite" ]; then suites+=("tests/unit/$suite"); fi
    done
    echo "torch-free tests on Python $version"
    PYTHONPATH=src "$venv/bin/python" -m pytest -q -m "not needs_torch and not slow" --seeds 0:20 -p no:cacheprovider \
        "$@" "${suites[@]}"
done
