"""The shipped suite is made again with the same bytes, here its first sessions."""

from itertools import islice

from tools.suites.assist import made_sessions, without_tools
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.packaged_data import read_text

SESSIONS = 3
FILLED_AGAIN = (16,)  # at the end, by a patient whose session reads fewer results


def test_the_first_sessions_are_the_shipped_ones() -> None:
    shipped = read_text("wardround.benchmarks.assist.suite", "suite.jsonl").splitlines()
    for place, found in islice(made_sessions(), SESSIONS):
        if place in FILLED_AGAIN:
            continue
        assert found.line
        assert json_lines([without_tools(found.line)]).decode().rstrip("\n") == shipped[place]
