"""Vocabulary lookups of the case files."""

from pathlib import Path

from tests.cases import for_each
from wardround.ehr import terms


def cases(name: str) -> list[tuple[str, str]]:
    lines = (Path(__file__).parent / "cases" / f"{name}.txt").read_text().splitlines()
    parts = (line.partition("|") for line in lines if not line.startswith("#"))
    return [(text.strip(), expected.strip()) for text, _, expected in parts]


@for_each(cases("generics"))
def test_generics_match_the_file(name: str, expected: str) -> None:
    assert ", ".join(terms.generics(name)) == expected


@for_each(cases("spelled_like"))
def test_similar_spellings_match_the_file(written: str, correction: str) -> None:
    assert (terms.spelled_like(written) or "") == correction


@for_each(cases("formal_names"))
def test_formal_names_match_the_file(text: str, expected: str) -> None:
    assert expected in terms.formal_names(text)


@for_each(cases("lab_names"))
def test_lab_names_match_the_file(term: str, expected: str) -> None:
    assert terms.lab_names(term)[0] == expected


@for_each(cases("search"))
def test_search_matches_the_file(keyword: str, expected: str) -> None:
    assert "".join(article.title for article in terms.search(keyword, k=1)) == expected
