"""Counts how PhysAssistBench's programs decide answers that were written without sight of them.

Run as `python -m bench.assist_items.blind en FILE` or `zh FILE`. A line of a file holds a session's
short name (dw1 is the first session of diagnostic workup), a turn, a rubric item, P or F, and an
answer; columns are separated by tabs, or stand in a JSON object with session, turn, item, label and
answer. Turns that write are left out, as their items are about what is written. Only counts are
printed, so that nobody mends the programs for these answers.
"""

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import get_args

from wardround.benchmarks.assist.checks.decider import decide_items
from wardround.benchmarks.assist.sessions import Language, Session
from wardround.benchmarks.assist.tasks import shipped_tasks

SCENARIOS = {
    "dw": "diagnostic_workup",
    "ms": "med_safety",
    "tr": "treatment_response",
    "dp": "discharge_planning",
}


def main(language: Language, file: Path) -> None:
    """Prints the counts of a file, and the shares of false verdicts among the decided."""
    found = counts(language, file)
    decided = sum(found[name] for name in ("right pass", "right fail", "false pass", "false fail"))
    shown = ", ".join(f"{name} {count}" for name, count in sorted(found.items()))
    print(f"{language}: decided {decided} of {found.total()}: {shown}")
    for name in ("false pass", "false fail"):
        print(f"{language}: {name} {100 * found[name] / max(decided, 1):.1f}% of the decided")


def counts(language: Language, file: Path) -> Counter[str]:
    """Counts right and false verdicts and open ones in a file."""
    sessions = sessions_by_name()
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [_fields(line) for line in lines]
    return Counter(
        verdict(language, sessions[name], int(turn), item, truth, answer)
        for name, turn, item, truth, answer in rows
        if truth in ("P", "F") and not sessions[name].hidden.turns[int(turn)].writes
    )


def _fields(line: str) -> list[str]:
    """The columns of a line, which may be a JSON object with a label passed or failed."""
    if not line.startswith("{"):
        return line.split("\t")
    row = json.loads(line)
    truth = row["label"][0].upper()
    return [row["session"], str(row["turn"]), row["item"], truth, row["answer"]]


def verdict(
    language: Language, session: Session, turn: int, item: str, truth: str, answer: str
) -> str:
    """The kind of verdict on one item of a turn, such as "false pass"."""
    gold = replace(session.hidden.turns[turn], rubric={language: (item,)}, checks=())
    [found] = decide_items(gold, language, answer, [])
    if found.state == "undecided":
        return f"open of {truth}"
    right = (found.state == "passed") == (truth == "P")
    return f"{'right' if right else 'false'} {'pass' if found.state == 'passed' else 'fail'}"


def sessions_by_name() -> dict[str, Session]:
    """The shipped sessions by short name, and by their own."""
    tasks = {task.id: task for task in shipped_tasks("hand_written").tasks}
    found = {}
    for short, scenario in SCENARIOS.items():
        for number in range(1, 7):
            session = next(t for id, t in tasks.items() if f"_{scenario}_{number}_" in id)
            found[f"{short}{number}"] = found[f"wardround_{scenario}_{number}"] = session
    return found


if __name__ == "__main__":
    language = next(name for name in get_args(Language) if name == sys.argv[1])
    main(language, Path(sys.argv[2]))
