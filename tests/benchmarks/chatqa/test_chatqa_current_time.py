"""The current time of conversations: the user's, else that of the records."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.chatqa.conftest import Opener
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic
from wardround.core.benchmark import TrialContext
from wardround.core.limits import Limits
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory

TASK: Task[Any, Any] = Task(
    "t", ChatPublic("incre", "small"), ChatHidden("Count patients.", "SELECT 1", ((1,),))
)
END, NAMED = "2107-08-09 23:59:00", "2110-01-01 00:00:00"


@pytest.mark.parametrize(("settings", "expected"), [({}, END), ({"current_time": NAMED}, NAMED)])
async def test_the_agent_is_told_the_end_of_the_records_or_the_users_time(
    settings: dict[str, str], expected: str, small_database: Path, open_chat: Opener
) -> None:
    with closing(sqlite3.connect(small_database)) as connection:
        connection.executescript(
            "CREATE TABLE visits (at TIMESTAMP); INSERT INTO visits VALUES ('2107-08-09 10:11:12')"
        )
    benchmark = open_chat(user="script", **settings)
    context = TrialContext(0, Limits(), Trajectory())
    briefing = (await benchmark.environment(TASK, context)).briefing
    assert briefing.facts["current_time"] == expected
    assert expected in briefing.rules
    assert benchmark.current_times()["small"].time == expected
