"""Counts which answers of a model patient, written without sight of the checks, are refused.

Run as `python -m bench.assist_items.model_patient FILE`. A line of the file is a JSON object with
language, session (its short name), question, answer and label: ok, invented, hint or ai. Whether an
answer is complete is left out, as its label is about what it must not say. Only counts are printed.
"""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from bench.assist_items.blind import sessions_by_name
from wardround.ehr.text.language import Language
from wardround.models.client import scripted
from wardround.models.messages import Reply
from wardround.people.patient.memory import PatientMemory
from wardround.people.patient.model import ModelPatient

_COMPLETENESS = {"fact", "length"}
_SUBJECT = "symptom_history"


def main(file: Path) -> None:
    """Prints the refused answers by language and label."""
    found = counts(file)
    for (language, label), outcomes in sorted(found.items()):
        print(f"{language} {label}: {outcomes['refused']} of {outcomes.total()} refused")


def counts(file: Path) -> dict[tuple[str, str], Counter[str]]:
    """Counts refused and accepted answers by language and label."""
    sessions = sessions_by_name()
    found: dict[tuple[str, str], Counter[str]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        memory = PatientMemory.model_validate(sessions[row["session"]].hidden.memory)
        broken = broken_rules(row, memory)
        outcomes = found.setdefault((row["language"], row["label"]), Counter())
        outcomes["refused" if broken else "accepted"] += 1
    return found


def broken_rules(row: Mapping[str, str], memory: PatientMemory) -> set[str]:
    """The rules that an answer breaks, but those on its completeness."""
    model = scripted(lambda messages, tools: Reply(row["answer"]))
    language = next(name for name in get_args(Language) if name == row["language"])
    speaker = model.bind("patient", lambda event: None, seed=1)
    patient = ModelPatient(speaker, memory, language, "high")
    speech = asyncio.run(patient.answer(_SUBJECT, {"query": row["question"]}))
    return set(speech.broken) - _COMPLETENESS


if __name__ == "__main__":
    main(Path(sys.argv[1]))
