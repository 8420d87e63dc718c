"""A page in headless Chromium, looked at when it says so: what it draws takes a time that no timeout is right for."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

MOST_SECONDS = 90
# The page is loaded, and looked at, when an image has come that the server holds back until the probe is done.
PROBE = """<img src="/held-back" alt="" hidden>
<script>
const polled = setInterval(async () => {
  if (!(%s)) return;
  clearInterval(polled);
  document.title = JSON.stringify((() => { %s })());
  fetch("/done");
}, 50);
</script></body>"""


def look(page: str, *, ready: str, probe: str, width: int, height: int, folder: Path) -> tuple[Any, Path]:
    """What `probe` (statements that return) gives when the expression `ready` is true, and a picture of the page."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium on this machine")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile"]
    command += [f"--window-size={width},{height}"]
    shot = folder / "page.png"
    text = page.replace("</body>", PROBE % (ready, probe)).encode()
    with _serving(text) as address:
        done = subprocess.run(
            [*command, "--dump-dom", address], capture_output=True, text=True, check=True, timeout=MOST_SECONDS
        )
    with _serving(text) as address:
        subprocess.run(
            [*command, f"--screenshot={shot}", address], capture_output=True, check=True, timeout=MOST_SECONDS
        )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None
    return json.loads(title[1].replace("&quot;", '"').replace("&amp;", "&")), shot


@contextmanager
def _serving(page: bytes) -> Iterator[str]:
    """The address of a server for one look at a page."""
    done = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/done":
                done.set()
            elif self.path == "/held-back":
                done.wait(MOST_SECONDS)
            self.send_response(200 if self.path == "/" else 204)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(page)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http:{'//'}localhost:{server.server_port}/"
    finally:
        done.set()
        server.shutdown()
        server.server_close()
