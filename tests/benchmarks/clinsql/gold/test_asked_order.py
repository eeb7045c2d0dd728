"""Questions that ask for an order of rows, and the columns by which golds sort."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.clinsql.gold.result_comparison import (
    asks_for_order,
    sorting_columns,
)
from wardround.benchmarks.clinsql.tasks import shipped_tasks


@pytest.mark.parametrize(
    "question",
    [
        "Report the number of stays by unit, sorted by that number.",
        "Count deaths for each service. Order the rows from most to least.",
        "List the ten commonest drugs in descending order.",
        "Show patients by decade of age, the oldest first.",
        "Give the units ranked by their mortality.",
        "Report stays by year in chronological order.",
    ],
)
def test_an_order_of_the_rows_is_asked_for(question: str) -> None:
    assert asks_for_order(question)


@pytest.mark.parametrize(
    "question",
    [
        "How many stays were there in each unit?",
        "How many tests were ordered by a cardiologist?",
        "Rank the stays by this value and divide them into quartiles.",
        "What is the first lactate in the stay, in order to find shock?",
        "How many patients had a drug order within 24 hours?",
        "What share had their highest glucose on the first day?",
    ],
)
def test_no_order_of_the_rows_is_asked_for(question: str) -> None:
    assert not asks_for_order(question)


def test_no_shipped_question_asks_for_an_order() -> None:
    assert [t.id for t in shipped_tasks().tasks if asks_for_order(t.public.question)] == []


@for_each(
    [
        ("SELECT unit, COUNT(*) AS n FROM t GROUP BY unit", ()),
        ("SELECT unit, COUNT(*) AS n FROM t GROUP BY unit ORDER BY 2 DESC", (1,)),
        ("SELECT unit, COUNT(*) AS n FROM t GROUP BY unit ORDER BY COUNT(*), unit", (1, 0)),
        ("SELECT v.unit FROM t AS v ORDER BY v.unit", (0,)),
        ("SELECT unit FROM t GROUP BY unit ORDER BY COUNT(*)", ()),
        ("SELECT unit FROM (SELECT unit FROM t ORDER BY unit) AS s", ()),
        ("SELECT unit FROM t UNION ALL SELECT unit FROM u ORDER BY unit", (0,)),
        ("SELEC", ()),
    ]
)
def test_columns_by_which_a_gold_sorts(gold: str, places: tuple[int, ...]) -> None:
    assert sorting_columns(gold) == places
