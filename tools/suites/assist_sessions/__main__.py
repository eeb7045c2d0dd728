"""Writes the hand-written sessions: `python -m tools.suites.assist_sessions`, from the root."""

from pathlib import Path

from tools.suites.assist_sessions.sessions import made_sessions
from wardround.benchmarks.kit.published_files import json_lines

SESSIONS = Path(__file__).parents[3] / "src/wardround/benchmarks/assist/suite/hand_written.jsonl"

if __name__ == "__main__":
    SESSIONS.write_bytes(json_lines(made_sessions()))
