"""Chinese and English names of clinical terms."""

from collections import Counter

import pytest

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import TermKind, chinese, english, mentions, plain
from wardround.ehr.terms.drugs import generics

ROWS = list(read_rows("wardround.ehr.terms", "chinese.tsv"))

# Text, kind, and the English names mentioned in it.
MENTIONED: list[tuple[str, TermKind, str]] = [
    ("患者WBC偏高，血钾3.1，已停氯化钾", "test", "white blood cells, potassium"),
    ("患者WBC偏高，血钾3.1，已停氯化钾", "flag", "high"),
    ("患者WBC偏高，血钾3.1，已停氯化钾", "drug", "potassium chloride"),
    ("他在吃速尿和Lipitor", "drug", "furosemide, atorvastatin"),
    ("Glyburide and metformin, as they were prescribed", "drug", "glyburide, metformin"),
    ("Piperacillin-tazobactam was stopped", "drug", "piperacillin + tazobactam"),
    ("呋塞米40mg口服每日两次", "unit", "mg"),
    ("呋塞米40mg口服每日两次", "route", "oral"),
    ("呋塞米40mg口服每日两次", "frequency", "twice daily"),
    ("INR 2.5, K 5.6 and bp 90/60", "test", "inr(pt), potassium"),
    ("It is in the chart; as needed", "route", ""),
    ("高血压和2型糖尿病", "diagnosis", "hypertension, type 2 diabetes mellitus"),
    ("\uff37\uff22\uff23升高", "test", "white blood cells"),
    ("", "drug", ""),
]


@pytest.mark.parametrize(("text", "kind", "expected"), MENTIONED)
def test_terms_are_mentioned_in_both_languages(text: str, kind: TermKind, expected: str) -> None:
    found = mentions(text, kind)
    assert ", ".join(mention.english for mention in found) == expected
    assert all(english(text[m.start : m.end], kind) == m.english for m in found)


def test_every_row_reads_both_ways_and_names_its_source() -> None:
    for kind, names, terms, source, reviewed in ROWS:
        first, preferred = split_cell(names)[0], split_cell(terms)[0]
        assert chinese(first, kind) == preferred, first  # type: ignore[arg-type]
        assert english(preferred, kind) == first, first  # type: ignore[arg-type]
        assert source in ("CADN", "ICD-10", "usage")
        assert reviewed == "no"


def test_no_name_of_a_kind_stands_twice() -> None:
    names = Counter(
        (kind, plain(name)) for kind, *cells in ROWS for c in cells[:2] for name in split_cell(c)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_drugs_of_the_table_have_their_generic_name() -> None:
    for kind, names, *_ in ROWS:
        if kind == "drug":
            assert " + ".join(generics(names)) == names


@pytest.mark.parametrize("kind", ["drug", "test", "route", "diagnosis"])
def test_unknown_and_empty_names_have_no_translation(kind: TermKind) -> None:
    assert english("", kind) is None
    assert english("企鹅", kind) is None
    assert chinese("penguin", kind) is None
