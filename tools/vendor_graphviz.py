"""Brings Graphviz's WebAssembly build, which lays out pictures, into the package; `--check` compares what is there.

It is taken from npm by npm itself, in the version and with the checksum written here. Two things are changed: its
exported name becomes a global one, so that it runs as a plain script in a page and under Node.js, and a note says what
it is.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

NAME, VERSION = "@hpcc-js/wasm-graphviz", "1.29.2"
SHA256_PACKED = "fbabf5f7a085f37009477d3585b2da1e4960f99dda54004e69c20553c8d172df"
SHA256_WRITTEN = "d0989a84ed84a869940dcc62d957b34af346e6b19e5489088d04b30b4d2c5117"
FOLDER = Path(__file__).resolve().parents[1] / "src" / "graphweld" / "view" / "draw" / "vendor"
SCRIPT, LICENSE = FOLDER / "graphviz.js", FOLDER / "graphviz.LICENSE"
NOTE = f"""/* {NAME} {VERSION} by HPCC Systems, Apache License 2.0 (graphviz.LICENSE).
   It holds, in object code: Graphviz 16.1.0, Eclipse Public License 2.0; Expat, MIT License.
   Their sources are those that the package names. Written by tools/vendor_graphviz.py: do not edit. */
"""


def main() -> int:
    """Write the two files, or tell whether they are what they should be."""
    if "--check" not in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            packed = subprocess.run(
                ["npm", "pack", "--silent", f"{NAME}@{VERSION}"], cwd=folder, check=True, capture_output=True, text=True
            )
            file = Path(folder) / packed.stdout.split()[-1]
            if sha256(file) != SHA256_PACKED:
                print(f"{file.name} is not what it was: {sha256(file)}")
                return 1
            with tarfile.open(file) as members:
                script = _read(members, "package/dist/index.js")
                LICENSE.write_text(_read(members, "package/LICENSE"), encoding="utf-8")
        SCRIPT.write_text(NOTE + as_script(script), encoding="utf-8")
    if sha256(SCRIPT) != SHA256_WRITTEN:
        print(f"{SCRIPT.name} is not what it should be: {sha256(SCRIPT)}")
        return 1
    return 0


def as_script(module: str) -> str:
    """A module as a plain script that leaves one global name."""
    body, _, _ = module.partition("//# sourceMappingURL")
    exported = re.search(r"export\{([^{}]*)\};?\s*$", body)
    assert exported is not None, "the module ends with what it exports"
    name = re.search(r"(\w+) as Graphviz\b", exported[1])
    assert name is not None, "among it Graphviz"
    return f"(() => {{ {body[: exported.start()]}globalThis.Graphviz = {name[1]}; }})();\n"


def sha256(file: Path) -> str:
    """The checksum of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _read(members: tarfile.TarFile, name: str) -> str:
    found = members.extractfile(name)
    assert found is not None, f"there is {name} in the package"
    return found.read().decode("utf-8")


if __name__ == "__main__":
    sys.exit(main())
