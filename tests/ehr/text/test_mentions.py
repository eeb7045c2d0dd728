"""Terms and drugs that texts mention, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.ehr.text.cases import rows
from wardround.ehr.terms.chinese import TermKind, english
from wardround.ehr.text.mentions import find_drugs, mentions
from wardround.ehr.text.segments import blanked

KINDS: tuple[TermKind, ...] = ("drug", "test", "diagnosis", "route", "frequency")
PIECES = [
    "Lasix",
    "速尿",
    "血钾",
    "WBC ",
    " IV ",
    "BID",
    "每日两次",
    "肺炎",
    "pneumonia",
    "，",
    " 40 mg ",
]
TEXTS = st.one_of(st.text(max_size=30), st.lists(st.sampled_from(PIECES)).map("".join))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Lasix 40 mg IV BID for pneumonia",
            ["drug furosemide Lasix", "diagnosis pneumonia pneumonia", "route intravenous IV",
             "frequency twice daily BID"],
        ),
        ("速尿已停，血钾3.1", ["drug furosemide 速尿", "test potassium 血钾"]),
        ("no term of any kind", []),
    ],
)  # fmt: skip
def test_mentions_of_several_kinds(text: str, found: list[str]) -> None:
    written = [f"{each.kind} {each.name} {each.span.of(text)}" for each in mentions(text, *KINDS)]
    assert written == found


@for_each(rows("mentions.txt"))
def test_terms_are_mentioned_in_both_languages(text: str, kind: TermKind, names: str) -> None:
    found = mentions(text, kind)
    assert ", ".join(mention.name for mention in found) == names
    assert all(english(mention.span.of(text), kind) == mention.name for mention in found)


@for_each(rows("drugs.txt"))
def test_english_names_of_drugs_in_a_sentence(sentence: str, names: str) -> None:
    found = find_drugs(sentence)
    assert ", ".join(mention.text for mention in found) == names
    assert all(sentence[mention.start : mention.end] == mention.text for mention in found)


@given(TEXTS)
def test_drugs_lie_in_the_text(text: str) -> None:
    assert all(text[mention.start : mention.end] == mention.text for mention in find_drugs(text))


@given(TEXTS)
def test_mentions_lie_in_the_text_each_kind_in_order(text: str) -> None:
    for kind in KINDS:
        places = [each.span for each in mentions(text, kind)]
        assert places == sorted(places)
        assert all(0 <= start < end <= len(text) for start, end in places)


@given(TEXTS)
def test_nothing_is_mentioned_where_all_mentions_are_blanked_out(text: str) -> None:
    once = blanked(text, [each.span for each in mentions(text, *KINDS)])
    assert len(once) == len(text)
    assert all(once[start:end].isspace() for start, end, *_ in mentions(text, *KINDS))
