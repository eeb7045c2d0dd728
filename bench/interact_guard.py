"""Scores BIRD-Interact's model-free user on the shipped guard set, by reference action."""

import asyncio
from time import process_time

from bench.figures import Figure, figure
from wardround.authoring.interact.declaration import GuardOptions
from wardround.authoring.interact.guard.accuracy import guard_user
from wardround.models.roles import RoleModels

GOALS = {"AMB": 90, "LOC": 90, "UNA": 97}


def measure() -> list[Figure]:
    """Measures right choices by category, and milliseconds per question."""
    started = process_time()
    summary = asyncio.run(guard_user(GuardOptions(), RoleModels({}), lambda request: None))
    table = summary.tables["guard"]
    seconds = process_time() - started
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    asked = sum(int(row["questions"] or 0) for row in rows)
    return [
        *(
            figure(
                f"user without a model, guard set: {row['category']}",
                float(row["all"] or 0),
                "%",
                f"goal: at least {GOALS[str(row['category'])]}; {row['questions']} questions",
            )
            for row in rows
        ),
        figure("user without a model: a question", 1000 * seconds / asked, "ms", "CPU"),
    ]
