"""The grammar of leaf sentences, on sentences of fixture files."""

from tests.benchmarks.clinsql.checks.leaf_sentences import Sentence, sentences
from tests.cases import for_each

UNREAD = (
    ("sql", "Filters to women diagnosed with sepsis."),
    ("sql", "Keeps female patients with heart failure."),
    ("sql", "Women with at least 3 admissions, anchor_age 50-60."),
    ("sql", "Men are not filtered out."),
    ("sql", "Joins patients and admissions and keeps 5 rows."),
    ("results", "The file has exactly 3 rows."),
    ("results", "`mean_los_days` does not lie between 1 and 5."),
    ("results", "Values of `another` lie between 1 and 5."),
    ("results", "`mean_los_days` lies in 1-5, and in 3-9 for men."),
    ("results", "The mean stay is larger than the gold's."),
)


@for_each([*sentences("leaves_development.tsv"), *sentences("leaves_held_out.tsv")])
def test_a_sentence_compiles_to_its_check(sentence: Sentence) -> None:
    assert sentence.compiled() == sentence.expected


@for_each(UNREAD)
def test_a_sentence_with_a_part_that_no_check_explains_has_none(tree: str, text: str) -> None:
    assert Sentence(tree, "Values", text, "none").compiled() == "none"
