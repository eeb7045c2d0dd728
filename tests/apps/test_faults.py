"""Unexpected exceptions in one sentence, and mistakes that once looked like bugs of wardround."""

import socket
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from wardround.apps.command_line.main import fault_sentence

PLUGIN = """
import json

def broken(text):
    return json.loads(text)
"""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(28, "No space left on device", "a/b"), "a/b: No space left on device; free space"),
        (OSError(98, "Address already in use"), "choose another port"),
        (PermissionError(13, "Permission denied", "a"), "check the path and its permissions"),
        (sqlite3.OperationalError("database or disk is full"), "The disk is full"),
        (ZeroDivisionError("division by zero"), "This is a bug in wardround"),
    ],
)
def test_sentences_name_a_remedy(error: Exception, words: str) -> None:
    sentence = fault_sentence(error)
    assert words in sentence
    assert sentence.count("bug in wardround") == isinstance(error, ZeroDivisionError)


def test_a_plugin_that_raises_is_named(tmp_path: Path) -> None:
    """Also where the exception was raised in a library that the plug-in called."""
    (tmp_path / "broken_plugin.py").write_text(PLUGIN)
    program = (
        "from wardround.apps.command_line.main import fault_sentence\n"
        "from wardround.core.plugins import AGENTS, load\n"
        "plugin = load(AGENTS, 'broken_plugin:broken')\n"
        "try:\n    plugin('{')\nexcept ValueError as error:\n    print(fault_sentence(error))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("The plug-in broken_plugin:broken failed (JSONDecodeError:")
    assert "report it to its authors" in ran.stdout


def test_an_unknown_zone_is_refused(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "patients.ndjson"
    source.write_text('{"resourceType": "Patient", "id": "p"}\n')
    ran = cli("data", "fhir", "--from", source, "--to", tmp_path / "r.fhir", "--zone", "Mars/X")
    assert ran.code == 2
    assert "There is no time zone 'Mars/X'" in ran.err
    assert not (tmp_path / "r.fhir").exists()


def test_a_taken_port_is_said_in_a_sentence(cli: Cli, tmp_path: Path) -> None:
    source, record = tmp_path / "patients.ndjson", tmp_path / "r.fhir"
    source.write_text('{"resourceType": "Patient", "id": "p"}\n')
    assert cli("data", "fhir", "--from", source, "--to", record).code == 0
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = cli("fhir", "serve", record, "--port", port)
    assert ran.code == 2
    assert f"127.0.0.1:{port} cannot be listened on (Address already in use); choose" in ran.err
    assert not ran.out, "no address that nobody answers at"
