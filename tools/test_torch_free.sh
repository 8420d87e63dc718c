#!/usr/bin/env bash
# Run the tests of the layers that import no torch on each other Python that this machine has.
set -euo pipefail
cd "$(dirname "$0")/.."

# `command -v` also finds pyenv's shims, which fail for a version that is not switched on: so ask each candidate.
find_python() {
    local candidate
    for candidate in "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
        if [ -x "$candidate" ] && "$candidate" -c 'import venv' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
}

for version in 3.10 3.12 3.13; do
    python=$(find_python "$version")
    if [ -z "$python" ]; then
        echo "torch-free tests: no Python $version on this machine"
        continue
    fi
    venv=.venv-$version
    if [ ! -e "$venv/.ready" ] || [ constraints.txt -nt "$venv/.ready" ]; then
        "$python" -m venv --clear "$venv"
        "$venv/bin/python" -m pip --disable-pip-version-check install --quiet -c constraints.txt pytest click rich
        touch "$venv/.ready"
    fi
    suites=()
    for suite in diagnostics syntax report cli; do
        if [ -d "tests/unit/$suite" ]; then suites+=("tests/unit/$suite"); fi
    done
    echo "torch-free tests on Python $version"
    PYTHONPATH=src "$venv/bin/python" -m pytest -q -m "not needs_torch" -p no:cacheprovider "${suites[@]}"
done
