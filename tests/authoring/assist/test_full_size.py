"""The full size has a session in every cell, about a hospital of 2,500 people."""

import json
from collections import Counter
from pathlib import Path

from tests.hospitals import hospital_file
from wardround.authoring.assist import work
from wardround.authoring.assist.declaration import MakeOptions
from wardround.benchmarks.assist.sessions import SCENARIOS
from wardround.core.work import WorkContext
from wardround.models.roles import UnusedModels

PEOPLE = 2_500
TURNS = {
    "Information Lookup": 540,
    "Data Gathering": 324,
    "Clinical Reasoning": 324,
    "Write/Update": 108,
}
# The turns after the first; a third of each type has each implicit form.
IMPLICIT = TURNS | {"Information Lookup": 216}


def test_every_cell_has_a_session(tmp_path: Path) -> None:
    hospital = hospital_file("mimic_iv", PEOPLE, notes=True)
    folder = tmp_path / "made"
    options = MakeOptions(database=str(hospital), to=folder, size="full", discrepancies=True)
    assert work.make(options, WorkContext(UnusedModels())).status == 0
    texts = [(folder / f"{each}.jsonl").read_text(encoding="utf-8") for each in SCENARIOS]
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    places = Counter((e["clinical_scenario"], e["difficulty_level"]) for e in lines)
    assert set(places.values()) == {27}
    assert Counter(type for each in lines for type in each["task_types"]) == TURNS
    pairs = [zip(each["task_types"], each["turn_subtypes"], strict=True) for each in lines]
    forms = Counter(pair for each in pairs for pair in [*each][1:])
    assert forms == {
        (type, form): turns // 3 for type, turns in IMPLICIT.items() for form in ("NA", "PE", "AE")
    }
    asked = [sum(e in ("patient", "mixed") for e in each["tool_sources"]) for each in lines]
    assert set(asked) == {1}
