"""Scores BIRD-Interact's model-free user on held-out questions, in aggregate figures only.

Run as `python -m bench.held_out_questions dev|final|final_2`; developers of the user never read
`final` and `final_2`.
"""

import asyncio
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.secret import Answer

FOLDER = Path(__file__).parents[1] / "tests/benchmarks/interact/held_out"
KINDS = ("AMB", "LOC", "UNA")


def main(name: str) -> None:
    """Prints the share of right replies by kind of question."""
    right, asked = asyncio.run(score(name))
    for kind in KINDS:
        percent = 100 * right[kind] / asked[kind]
        print(f"{name} {kind}: {percent:.1f} % ({right[kind]} of {asked[kind]})")


async def score(name: str) -> tuple[Counter[str], Counter[str]]:
    """Counts right replies and questions by kind."""
    users = {task.id: ModelFree(secret_of(task, "")) for task in shipped_tasks().tasks}
    right, asked = Counter[str](), Counter[str]()
    for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        kind = row["want"][0][:3]
        asked[kind] += 1
        right[kind] += is_right(row, await users[row["task"]].clarify(row["question"], frozenset()))
    return right, asked


def is_right(row: dict[str, Any], answer: Answer) -> bool:
    """True if a reply is right, regardless of the action; see README.md of the questions."""
    if answer.refused:
        return "UNA" in row["want"]
    return bool(row["say"]) and all(contains(answer.text, part) for part in row["say"])


def contains(reply: str, part: str) -> bool:
    """True if an alternative of a part starts a word of a reply; numbers must match whole."""
    for alternative in part.lower().split("|"):
        text = re.escape(alternative.strip())
        end = r"(?!\d|[.,]\d)" if alternative.strip()[-1:].isdigit() else ""
        if re.search(rf"(?<!\w)(?<!\d[.,]){text}{end}", reply.lower()):
            return True
    return False


if __name__ == "__main__":
    main(sys.argv[1])
