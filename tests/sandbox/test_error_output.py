"""The standard error of processes that are not trusted."""

import subprocess
import sys
import time

import pytest

from wardround.sandbox.error_output import MOST_BYTES, error_pipe


def passed_on(code: str, capsys: pytest.CaptureFixture[str], last: str) -> str:
    with error_pipe() as errors:
        subprocess.run([sys.executable, "-c", code], stderr=errors, check=True)
    text = ""
    for _ in range(100):
        text += capsys.readouterr().err
        if last in text:
            break
        time.sleep(0.05)
    return text


def test_control_characters_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    code = r"import sys; sys.stderr.write('\x1b[2J\x07red\u202e\r\nend\n')"
    assert passed_on(code, capsys, "end") == "[2Jred\nend\n"


def test_output_beyond_the_limit_is_left_out_and_does_not_block(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = f"import sys; sys.stderr.write('x' * {4 * MOST_BYTES})"
    text = passed_on(code, capsys, "left out")
    assert text.endswith("(the rest of the agent's error output is left out)\n")
    assert len(text) < MOST_BYTES * 1.2
