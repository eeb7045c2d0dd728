"""Other spellings of recorded values, checked on the records."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from rapidfuzz.distance import DamerauLevenshtein

from tests.cases import for_each
from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.increments import increments
from wardround.authoring.chatqa.instructions import (
    increment_sentences,
    instruction,
    turn_sentences,
)
from wardround.authoring.chatqa.spellings import (
    Recorded,
    meanings_by_name,
    misspelled_names,
    partial_names,
    respelled,
)
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.turns.drugs import within_class
from wardround.authoring.chatqa.turns.turn import is_nothing
from wardround.ehr.records import Role
from wardround.ehr.terms import also_known_as
from wardround.ehr.values import SimilarityIndex, WordLlamaEmbedder
from wardround.people.scripted_user import ScriptedUser

LINES = (Path(__file__).parent / "fixtures" / "spellings.tsv").read_text("utf-8").splitlines()[2:]
CASES = [line.split("\t") for line in LINES]
CHECKED = 12  # values of a kind


@pytest.fixture(scope="module")
def records(spelled_records: AskedRecords) -> AskedRecords:
    """The records with the spellings that these tests are about."""
    return spelled_records


def value(kind: str, name: str, words: str, stored: str) -> SpokenValue:
    """A recorded value; several texts are separated by semicolons."""
    texts, names = (tuple(filter(None, each.split(";"))) for each in (stored, words))
    return SpokenValue(Role(kind, "name"), texts, name, names or (name,), frozenset({"1"}))


@for_each(CASES)
def test_a_partial_name_is_of_one_thing_in_the_records_and_the_terms(
    said: str, kind: str, name: str, words: str, stored: str, others: str, spelling: str
) -> None:
    of = value(kind, name, words, stored)
    recorded = Recorded([*of.stored, *filter(None, others.split(";"))])
    assert (spelling in set(partial_names(of, recorded))) == (said == "partial")


@pytest.fixture(scope="module")
def checked(records: AskedRecords) -> list[tuple[SpokenValue, Sequence[Sequence[str]]]]:
    """Some values of each kind with their misspelled and their partial names."""
    some = [each for of in records.values.values() for each in of[:: max(1, len(of) // CHECKED)]]
    return [(each, each.respellings()) for each in some if each.respellings]


def test_the_agents_search_leads_from_a_misspelling_to_the_value(
    records: AskedRecords, checked: list[tuple[SpokenValue, Sequence[Sequence[str]]]]
) -> None:
    indexes = {
        kind: SimilarityIndex.build(sorted(texts), WordLlamaEmbedder())
        for kind, texts in records.texts.items()
    }
    spellings = [(each, spelling) for each, (misspelled, _) in checked for spelling in misspelled]
    assert (len(spellings), len(checked)) == (98, 53)
    for each, spelling in spellings:
        found = indexes[each.role.kind].search(spelling, also=also_known_as(spelling))
        assert found[0].value in {text.lower() for text in each.stored}, spelling


def test_a_misspelling_is_no_other_name(
    records: AskedRecords, checked: list[tuple[SpokenValue, Sequence[Sequence[str]]]]
) -> None:
    for each, (misspelled, _) in checked:
        for spelling in misspelled:
            assert not any(spelling in text for text in records.texts[each.role.kind])
            own = {text.lower() for text in each.stored}
            own |= {name for name, of in meanings_by_name().items() if each.name in of}
            nearest = min(DamerauLevenshtein.distance(spelling, name) for name in own)
            others = meanings_by_name().keys() - own
            assert all(DamerauLevenshtein.distance(spelling, n) > nearest for n in others), spelling


def test_a_partial_name_selects_the_values_texts_and_no_others(
    records: AskedRecords, checked: list[tuple[SpokenValue, Sequence[Sequence[str]]]]
) -> None:
    for each, (_, partial) in checked:
        for part in partial:
            selected = {text for text in records.texts[each.role.kind] if part in text}
            assert selected == {text.lower() for text in each.stored}, part


def test_a_look_alike_is_never_written() -> None:
    hydralazine = value("drug", "hydralazine", "apresoline", "hydralazine")
    written = set(misspelled_names(hydralazine, Recorded(["hydralazine", "hydroxyzine"])))
    assert written
    assert not written & set(meanings_by_name())


def test_values_are_said_in_the_spellings_that_are_asked_for() -> None:
    vancomycin = value("drug", "vancomycin", "vancocin", "vancomycin")
    values, texts = {"drug": (vancomycin,)}, {"drug": Recorded(("vancomycin", "aspirin"))}
    [plain], [partial], [both] = (
        respelled(values, texts, spellings)["drug"]
        for spellings in ((), ("partial",), ("misspelled", "partial"))
    )
    said = [{each.spoken(Random(n)) for n in range(200)} for each in (plain, partial, both)]
    assert said[0] == {"vancocin"}
    assert said[1] == {"vancocin", "vanco"}
    assert said[1] < said[2]


def test_what_is_not_recorded_is_misspelled_too(records: AskedRecords) -> None:
    random, plain = Random(5), replace(records, spellings=())
    assert {plain.absent_name("drug", "enalapril", random) for _ in range(30)} == {"enalapril"}
    said = {records.absent_name("drug", "enalapril", random) for _ in range(60)}
    misspelled = said - {"enalapril"}
    assert "enalapril" in said
    assert misspelled
    for name in misspelled:
        assert DamerauLevenshtein.distance(name, "enalapril") == 1
        assert not any(name in text for text in records.texts["drug"])
        assert name not in meanings_by_name()


def test_first_requests_name_what_is_missing_with_a_slip(
    layout: str, records: AskedRecords
) -> None:
    turns = [turn for seed in range(3) for turn in islice(within_class(records, Random(seed)), 15)]
    slips = [turn for turn in turns if turn.slots["drug"] not in meanings_by_name()]
    assert len(turns) == 45
    assert len(slips) == {"mimic_iv_star": 17, "omop_5_4": 18}[layout]
    for turn in slips:
        assert turn.first is not None
        assert is_nothing(records.rows(turn.first))
        assert turn.slots["drug"] in instruction(turn_sentences(turn, Random(1)))


async def test_the_scripted_user_says_other_spellings(layout: str, records: AskedRecords) -> None:
    random, heard = Random(8), 0
    for draft in islice(increments(records, 2, random, ("event", "test")), 40):
        user = ScriptedUser(instruction(increment_sentences(draft, random)), 1)
        talk = (await user.open()).text
        for _ in range(3):
            talk += " " + (await user.reply("What else should I know?")).text
        for wish in draft.wishes:
            name = wish.slots["name"]
            assert name in talk, (name, talk)
            heard += name not in meanings_by_name()
    assert heard == {"mimic_iv_star": 24, "omop_5_4": 20}[layout]
