"""Writes the shipped suite: `python -m tools.suites.assist_sessions`, from the root."""

from pathlib import Path

from tools.suites.assist_sessions.sessions import made_sessions
from wardround.benchmarks.kit.published_files import json_lines

SUITE = Path(__file__).parents[3] / "src/wardround/benchmarks/assist/suite/sessions.jsonl"

if __name__ == "__main__":
    SUITE.write_bytes(json_lines(made_sessions()))
