"""Chromium, driven over the DevTools protocol: keys, scripts and pictures."""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websockets.sync.client import connect
from websockets.sync.connection import Connection

from tests.hospitals import KEPT_OPEN

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
_CODES = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40}
_PATIENCE = 20.0


class LeftPageError(Exception):
    """The page was left while a command ran in it."""


class Browser:
    """A page in a browser."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._number = 0

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Sends a command and waits for its result."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        self._connection.send(json.dumps(command))
        while True:
            message = json.loads(self._connection.recv(timeout=_PATIENCE))
            if message.get("id") == self._number:
                if "navigated" in message.get("error", {}).get("message", ""):
                    raise LeftPageError(message["error"]["message"])
                assert "error" not in message, message["error"]
                result: dict[str, Any] = message["result"]
                return result

    def open(self, address: str) -> None:
        """Opens a page and waits for it."""
        self.send("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        sent = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        return sent["result"].get("value")

    def wait(self, condition: str) -> None:
        """Waits until an expression is true, on the page that is then open."""
        ends = time.monotonic() + _PATIENCE
        while not self._holds(condition):
            assert time.monotonic() < ends, f"never true: {condition}"
            time.sleep(0.05)

    def _holds(self, condition: str) -> bool:
        try:
            return bool(self.run(f"Boolean({condition})"))
        except LeftPageError:
            return False

    def press(self, key: str, modifiers: int = 0) -> None:
        """Presses a key; the modifiers are 2 for Ctrl, 8 for Shift."""
        code = {"key": key, "windowsVirtualKeyCode": _CODES[key], "modifiers": modifiers}
        text = {"Enter": "\r", " ": " "}.get(key) if not modifiers else None
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", **code, **({"text": text} if text else {})
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **code)

    def type(self, text: str) -> None:
        """Types a text where the focus is."""
        self.send("Input.insertText", text=text)

    def tab_to(self, selector: str) -> None:
        """Presses Tab until an element has the focus."""
        for _ in range(300):
            if self.run(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.press("Tab")
        raise AssertionError(f"Tab never reaches {selector}")

    def size(self, width: int, height: int) -> None:
        """Sets the size of the window."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.send("Emulation.setDeviceMetricsOverride", **metrics)

    def picture(self, path: Path) -> None:
        """Writes a picture of the whole page."""
        taken = self.send("Page.captureScreenshot", captureBeyondViewport=True, **self._whole())
        path.write_bytes(base64.b64decode(taken["data"]))

    def _whole(self) -> dict[str, Any]:
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {**size, "scale": 1}}


@contextmanager
def browser() -> Iterator[Browser]:
    """A page that shares no cookie and no storage with another."""
    address, program = _running()
    context = program.send("Target.createBrowserContext")
    target = program.send("Target.createTarget", url="about:blank", **context)["targetId"]
    place = f"{address}/devtools/page/{target}"
    try:
        with connect(place, max_size=None, compression=None) as connection:
            page = Browser(connection)
            page.send("Page.enable")
            yield page
    finally:
        program.send("Target.disposeBrowserContext", **context)


@cache
def _running() -> tuple[str, Browser]:
    """The address of a browser, which runs until the last test, and the connection to it."""
    assert PROGRAM is not None
    profile = Path(KEPT_OPEN.enter_context(TemporaryDirectory(ignore_cleanup_errors=True)))
    command = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update"]
    command += ["--disable-extensions", "--disable-sync"]
    command += ["--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    KEPT_OPEN.callback(process.wait, timeout=_PATIENCE)
    KEPT_OPEN.callback(process.terminate)
    port, path = _listening(profile / "DevToolsActivePort")
    address = f"ws://127.0.0.1:{port}"
    connection = KEPT_OPEN.enter_context(connect(f"{address}{path}", compression=None))
    return address, Browser(connection)


def _listening(file: Path) -> list[str]:
    """The port and the path of the browser, once it listens."""
    ends = time.monotonic() + _PATIENCE
    while not file.exists() or file.read_text().count("\n") != 1:
        assert time.monotonic() < ends, "the browser did not start"
        time.sleep(0.05)
    return file.read_text().splitlines()
