"""Sentences and clauses of clinical notes, and properties of all segments."""

from collections.abc import Callable
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each, one_in
from tests.ehr.text.cases import rows
from wardround.ehr.text.language import LANGUAGES, Language
from wardround.ehr.text.segments import (
    Span,
    abbreviations,
    clauses,
    phrases,
    sentences,
    statements,
    texts,
)

Segmentation = Callable[[str, Language], tuple[Span, ...]]
COVERING: tuple[Segmentation, ...] = (sentences, statements, clauses)
ALL: tuple[Segmentation, ...] = (*COVERING, phrases)
# Pieces of which texts with many boundaries are made.
PIECES = ["Dr. ", "b.i.d. ", "7.5", ". ", "? ", "; ", ", ", "\n", "1. ", "but ", "He ", "fever ",
          "无发热", "，", "。", "；", "！", "（", "）", "”", "...", "- ", " "]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES)).map("".join))


@for_each(rows("sentences.txt"))
def test_sentences(language: Language, marked: str) -> None:
    assert _cut(marked, sentences, language) == [part.strip() for part in marked.split("|")]


@for_each(rows("clauses.txt"))
def test_clauses(language: Language, marked: str) -> None:
    assert _cut(marked, clauses, language) == [part.strip() for part in marked.split("|")]


def _cut(marked: str, segmentation: Segmentation, language: Language) -> list[str]:
    text = marked.replace("|", "")
    return texts(text, segmentation(text, language))


@pytest.mark.parametrize("segmentation", ALL)
@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_segments_lie_in_the_text_and_in_order(
    segmentation: Segmentation, text: str, language: Language
) -> None:
    spans = segmentation(text, language)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before.end <= behind.start for before, behind in pairwise(spans))
    assert all(part == part.strip() for part in texts(text, spans))


@pytest.mark.parametrize("segmentation", COVERING)
@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_segments_cover_the_text(segmentation: Segmentation, text: str, language: Language) -> None:
    covered = "".join(texts(text, segmentation(text, language)))
    assert "".join(covered.split()) == "".join(text.split())


@given(text=TEXTS, language=st.sampled_from(LANGUAGES))
def test_finer_segments_lie_in_coarser_ones(text: str, language: Language) -> None:
    coarse = sentences(text, language)
    for segmentation in (statements, clauses, phrases):
        for start, end in segmentation(text, language):
            assert any(span.start <= start and end <= span.end for span in coarse)


def test_abbreviations_end_no_sentence() -> None:
    text = "Dr. Wu gave 2 mg i.v. to J. Smith, e.g. at 4 p.m. He is on vitamin K. Stop it."
    assert texts(text, abbreviations(text)) == ["Dr.", "i.v.", "J.", "e.g."]


@pytest.mark.parametrize(
    "sign", one_in(3, [".", "?", "。", "…", " ", "\n", "e.g. ", "1. ", ", ", "but ", "A."])
)
def test_long_runs_take_no_quadratic_time(sign: str) -> None:
    text = sign * 50_000 + "x"
    began = process_time()
    for segmentation in ALL:
        segmentation(text, "en")
    assert process_time() - began < 5
