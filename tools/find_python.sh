#!/usr/bin/env bash
# Print a Python of the given version, such as 3.11; nothing if this machine has none.
# `command -v` also finds pyenv's shims, which fail for a version that is not switched on: so each candidate is run.
set -euo pipefail
for candidate in "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
    if [ -x "$candidate" ] && "$candidate" -c 'import venv' 2>/dev/null; then
        echo "$candidate"
        exit
    fi
done
