"""Checks of new wordings: slots round-trip, faults are named, near duplicates are pruned."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.authoring.ehrsql.paraphrases.checks import checks_of, double_fault, form_fault
from wardround.authoring.ehrsql.paraphrases.paraphraser import stand_ins, tidy
from wardround.authoring.ehrsql.templates import all_question_templates, all_templates
from wardround.authoring.rewording.comparison import (
    added_qualifiers,
    distance,
    distances,
    lost_qualifiers,
    nearest,
    plain,
)
from wardround.authoring.rewording.pipeline import Pipeline
from wardround.authoring.slots import SLOT, in_tense

EVERY = [(id, wording) for id, each in all_templates().items() for wording in each.wordings]


def cases(name: str) -> list[tuple[str, ...]]:
    """The lines of a fixture file without its header."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    lines = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [tuple(line) for line in lines][1:]


def bare(wording: str) -> str:
    """The wording in the present tense, without articles of slots."""
    return SLOT.sub(r"{\2}", in_tense(wording, over=False)).replace(" a {", " {")


@pytest.mark.parametrize(("template", "wording", "fault"), cases("faults.tsv"))
async def test_faults_are_named(template: str, wording: str, fault: str) -> None:
    [checked] = await Pipeline(checks_of(all_templates()[template])).run([wording])
    assert next((f"{name}: {text}" for name, text in checked.checks.items() if text), "") == fault


@for_each(cases("answers.tsv"))
def test_stand_ins_become_slots_again(template: str, answer: str, wording: str) -> None:
    assert stand_ins(all_templates()[template]).restored(tidy(answer)) == wording


def test_every_wording_round_trips_through_its_stand_ins() -> None:
    for template in all_templates().values():
        names = stand_ins(template)
        for wording in template.wordings:
            spoken = names.filled(wording)
            assert not set("{}[]|") & set(spoken)
            assert bare(names.restored(spoken)) == bare(wording)


def test_packaged_wordings_pass_and_are_known() -> None:
    for id, wording in EVERY:
        assert form_fault(wording, all_templates()[id]) == ""
        assert double_fault(wording, all_templates()[id])


def test_packaged_wordings_have_the_qualifiers_of_their_template() -> None:
    """Each is compared with the rest of its template, if that has twelve or more."""
    same = Counter[bool]()
    for template in all_question_templates():
        for wording in template.wordings:
            known = [each for each in template.wordings if each != wording]
            same[not (lost_qualifiers(wording, known) or added_qualifiers(wording, known))] += 1
    assert same == {True: 2272, False: 72}


@given(st.sampled_from(EVERY))
def test_missing_or_duplicate_slot_is_named(of_template: tuple[str, str]) -> None:
    id, wording = of_template
    slots = SLOT.findall(in_tense(wording, over=False))
    assume(slots)
    for _, slot in slots:
        without = wording.replace(f"{{{slot}}}", "it").replace(f"{{a:{slot}}}", "it")
        assert form_fault(without, all_templates()[id]).startswith("lacks")
        twice = f"{wording[:-1]} {{{slot}}}?"
        assert form_fault(twice, all_templates()[id]) == f"has twice {{{slot}}}"


@given(st.sampled_from(EVERY), st.sampled_from(EVERY))
def test_distance_is_symmetric_and_zero_for_equal_words(
    first: tuple[str, str], second: tuple[str, str]
) -> None:
    a, b = first[1], second[1]
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1
    assert (distance(a, b) == 0) is (plain(a) == plain(b))


@given(st.sampled_from(sorted(all_templates())), st.floats(0, 1))
def test_unpruned_wordings_are_distant_and_pruned_ones_near(id: str, least: float) -> None:
    wordings = all_templates()[id].wordings
    known, ranked = wordings[:2], wordings[2:]
    measured = list(distances(ranked, known, least))
    stays = [wording for wording, far in zip(ranked, measured, strict=True) if far >= least]
    for place, wording in enumerate(stays):
        assert nearest(wording, [*known, *stays[:place]]) >= least
    for wording in set(ranked) - set(stays):
        assert nearest(wording, [*known, *before(ranked, stays, wording)]) < least


def before(ranked: Iterable[str], stays: list[str], wording: str) -> list[str]:
    """The unpruned wordings before a wording."""
    order = list(ranked)
    return [each for each in stays if order.index(each) < order.index(wording)]
