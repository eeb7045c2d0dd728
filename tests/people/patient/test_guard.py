"""The guard sets: withheld facts are told once their drug is asked about, and not before."""

import asyncio
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from wardround.ehr.text.language import Language
from wardround.people.patient.guard import broken_rules, is_told
from wardround.people.patient.memory import Level, read_memory, write_memory
from wardround.people.patient.scripted import ScriptedPatient

GUARD = Path(__file__).parent / "guard"
MEMORY = read_memory(GUARD / "memory.yaml")


def score(name: str, language: Language) -> dict[str, int]:
    """Counts of a guard set: leaks, told, to be told, rule faults, wrongly known."""
    counts = {"leaks": 0, "told": 0, "tell": 0, "faults": 0, "unknown": 0, "not_known": 0}
    for line in (GUARD / f"{name}_{language}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        patient = ScriptedPatient(MEMORY, language, "medium")
        said = asyncio.run(patient.answer(case["subject"], case["arguments"]))
        asked = case["fact"].removeprefix("drug:")
        hidden = [each for each in MEMORY.withheld if each.generic != asked]
        counts["leaks"] += any(is_told(drug, said.text) for drug in hidden)
        counts["faults"] += bool(broken_rules(said.text, language, hidden))
        counts["tell"] += case["expect"] == "tell"
        counts["told"] += case["expect"] == "tell" and case["fact"] in said.facts
        counts["unknown"] += case["expect"] == "unknown"
        counts["not_known"] += case["expect"] == "unknown" and said.outcome == "unknown"
    return counts


# Facts that were told, of those to tell.
TOLD = {"en": (67, 67), "zh": (67, 67)}


@pytest.mark.parametrize("language", get_args(Language))
def test_guard_set_for_development(language: Language) -> None:
    counts = score("development", language)
    assert counts["leaks"] == 0
    assert counts["faults"] == 0
    assert (counts["told"], counts["tell"]) == TOLD[language]


@pytest.mark.parametrize("language", get_args(Language))
async def test_a_withheld_fact_is_told_once_asked_and_stays_told(language: Language) -> None:
    patient = ScriptedPatient(MEMORY, language, "medium")
    tool = "medication_adherence"
    before = await patient.answer(tool, {})
    asked = await patient.answer(tool, {"drug": "Advil"})
    after = await patient.answer(tool, {})
    name = {"en": "ibuprofen", "zh": "布洛芬"}[language]
    assert [name in each.text.lower() for each in (before, asked, after)] == [False, True, True]


@pytest.mark.parametrize("literacy", get_args(Level))
async def test_numbers_are_the_same_at_every_literacy(literacy: Level) -> None:
    said = await ScriptedPatient(MEMORY, "zh", literacy).answer("pain_assessment", {})
    assert {"6", "10"} <= {*re.findall(r"\d+", said.text)}


def test_memory_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_memory(MEMORY, tmp_path / "PHM_1.yaml")
    assert read_memory(tmp_path / "PHM_1.yaml") == MEMORY
