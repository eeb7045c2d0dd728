"""Counts how the scripted patient answers questions that were written without sight of it.

Run as `python -m bench.assist_items.patient_questions en FILE` or `zh FILE`. A line of a file holds
a session's short name, a tool, an argument as name=value, tell, withhold or unknown, and an
expectation: regular expressions joined by &, all of which an answer must have, or none where the
patient withholds or does not know. Each question is put to a fresh patient; one who tells a list in
parts is asked to go on. Only counts are printed.
"""

import asyncio
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from bench.assist_items.blind import sessions_by_name
from wardround.benchmarks.assist.sessions import Language, Session
from wardround.core.packaged_data import read_toml
from wardround.people.patient.memory import PatientMemory
from wardround.people.patient.scripted import ScriptedPatient

PARTS = 5  # at most this often, a patient is asked to go on
GO_ON = {"en": "Yes, please go on.", "zh": "好的，请继续说。"}


def main(language: Language, file: Path) -> None:
    """Prints the counts of a file."""
    found = counts(language, file)
    told, asked = found["told"], found["told"] + found["not told"]
    print(f"{language}: told {told} of {asked} ({100 * told / max(asked, 1):.0f}%)")
    print(f"{language}: " + ", ".join(f"{name} {n}" for name, n in sorted(found.items())))


def counts(language: Language, file: Path) -> Counter[str]:
    """Counts facts told and not, leaks of withheld facts, and invented ones."""
    sessions = sessions_by_name()
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").splitlines()]
    return Counter(
        outcome(language, sessions[name], tool, argument, wanted, words)
        for name, tool, argument, wanted, words in rows
        if wanted in ("tell", "withhold", "unknown")
    )


def outcome(
    language: Language, session: Session, tool: str, argument: str, wanted: str, words: str
) -> str:
    """The kind of an answer, such as "told"."""
    name, _, value = argument.partition("=")
    arguments = {name.strip(): value.strip()} if value else {}
    subject = tool.removeprefix("patient.").removeprefix("get_")
    text = asyncio.run(heard(language, session, subject, arguments))
    has = [re.search(each.strip(), text, re.IGNORECASE) is not None for each in words.split("&")]
    match wanted:
        case "tell":
            return "told" if all(has) else "not told"
        case "withhold":
            return "leak" if any(has) else "withheld"
        case _:
            return "invented" if any(has) else "not known"


async def heard(
    language: Language, session: Session, subject: str, arguments: Mapping[str, str]
) -> str:
    """The answers to a question and to requests to go on, joined."""
    memory = PatientMemory.model_validate(session.hidden.memory)
    patient = ScriptedPatient(memory, language, "high")
    more = read_toml("wardround.people.patient", "wordings.toml")[language].get("more")
    answers = [(await patient.answer(subject, arguments)).text]
    while more and answers[-1].endswith(more["high"]) and len(answers) <= PARTS:
        answers.append((await patient.answer(subject, {"query": GO_ON[language]})).text)
    return " ".join(answers)


if __name__ == "__main__":
    language = next(name for name in get_args(Language) if name == sys.argv[1])
    main(language, Path(sys.argv[2]))
