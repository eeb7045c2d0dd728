"""New wordings: slots go and come back, faults are named, pruned ones are close to a kept one."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wardround.authoring.ehrsql.paraphrases import all_templates
from wardround.authoring.ehrsql.paraphrases.checks import checks_of, double_fault, form_fault
from wardround.authoring.ehrsql.paraphrases.paraphraser import tidy
from wardround.authoring.ehrsql.paraphrases.stand_ins import stand_ins
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.ehrsql.templates import QuestionTemplate
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

EVERY = [(id, wording) for id in all_templates() for wording in wordings(id)]


def cases(name: str) -> list[tuple[str, ...]]:
    """The lines of a fixture file but the first."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    lines = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [tuple(line) for line in lines][1:]


def bare(wording: str) -> str:
    """The wording of a time that is not over, without articles that go with a slot."""
    return SLOT.sub(r"{\2}", in_tense(wording, over=False)).replace(" a {", " {")


@pytest.mark.parametrize(("template", "wording", "fault"), cases("faults.tsv"))
async def test_faults_are_named(template: str, wording: str, fault: str) -> None:
    [found] = await Pipeline(checks_of(all_templates()[template])).run([wording])
    assert next((f"{name}: {what}" for name, what in found.checks.items() if what), "") == fault


@pytest.mark.parametrize(("template", "said", "wording"), cases("answers.tsv"))
def test_slots_are_taken_back(template: str, said: str, wording: str) -> None:
    assert stand_ins(all_templates()[template]).restored(tidy(said)) == wording


def test_every_wording_comes_back_from_what_stands_in() -> None:
    for id, asked in all_templates().items():
        names = stand_ins(asked)
        for wording in wordings(id):
            spoken = names.filled(wording)
            assert not set("{}[]|") & set(spoken)
            assert bare(names.restored(spoken)) == bare(wording)


def test_wordings_of_ours_pass_and_are_known() -> None:
    for id, wording in EVERY:
        assert form_fault(wording, all_templates()[id]) == ""
        assert double_fault(wording, all_templates()[id])


def test_wordings_of_ours_keep_the_words_that_their_siblings_have() -> None:
    """Each beside all others of its template, where there are twelve or more."""
    kept = Counter[bool]()
    for id, asked in all_templates().items():
        if isinstance(asked, QuestionTemplate):
            for wording in wordings(id):
                others = [one for one in wordings(id) if one != wording]
                kept[
                    not (lost_qualifiers(wording, others) or added_qualifiers(wording, others))
                ] += 1
    assert kept[True] / kept.total() > 0.96


@given(st.sampled_from(EVERY))
def test_a_slot_that_goes_or_comes_twice_is_told(one: tuple[str, str]) -> None:
    id, wording = one
    slots = SLOT.findall(in_tense(wording, over=False))
    assume(slots)
    for _, slot in slots:
        without = wording.replace(f"{{{slot}}}", "it").replace(f"{{a:{slot}}}", "it")
        assert form_fault(without, all_templates()[id]).startswith("lacks")
        twice = f"{wording[:-1]} {{{slot}}}?"
        assert form_fault(twice, all_templates()[id]) == f"has twice {{{slot}}}"


@given(st.sampled_from(EVERY), st.sampled_from(EVERY))
def test_a_distance_is_one(one: tuple[str, str], other: tuple[str, str]) -> None:
    a, b = one[1], other[1]
    assert distance(a, b) == distance(b, a)
    assert 0 <= distance(a, b) <= 1
    assert (distance(a, b) == 0) is (plain(a) == plain(b))


@given(st.sampled_from(sorted(all_templates())), st.floats(0, 1))
def test_what_stays_is_apart_and_what_goes_is_near_one_that_stays(id: str, least: float) -> None:
    every = wordings(id)
    known, ranked = every[:2], every[2:]
    found = list(distances(ranked, known, least))
    stays = [wording for wording, far in zip(ranked, found, strict=True) if far >= least]
    for place, wording in enumerate(stays):
        assert nearest(wording, [*known, *stays[:place]]) >= least
    for wording in set(ranked) - set(stays):
        assert nearest(wording, [*known, *before(ranked, stays, wording)]) < least


def before(ranked: Iterable[str], stays: list[str], wording: str) -> list[str]:
    """Those that stay and go before a wording."""
    order = list(ranked)
    return [one for one in stays if order.index(one) < order.index(wording)]
