import pytest
from sqlglot import parse_one

from wardround.benchmarks.clinsql.checks.queries import probes
from wardround.benchmarks.clinsql.checks.queries.facts import Condition, query_facts
from wardround.benchmarks.clinsql.checks.queries.probes import Rows, masks, selected


def _conditions(*texts: str) -> list[Condition]:
    return [Condition(parse_one(text, read="bigquery"), "filter") for text in texts]


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of conditions of each query that is run."""
    run, found = probes._run, list[int]()

    def counted(texts: list[str], rows: Rows) -> list[list[object]] | None:
        found.append(len(texts))
        return run(texts, rows)

    monkeypatch.setattr(probes, "_run", counted)
    return found


def test_conditions_are_tried_once_and_in_one_query(queries: list[int]) -> None:
    rows = Rows({"n": [1, 2, 3]})
    assert selected(_conditions("a.n > 1", "a.n < 3"), rows) == [False, True, False]
    assert selected(_conditions("b.n < 3", "b.n > 1"), rows) == [False, True, False]
    assert selected(_conditions("n < 3", "n <> 2"), rows) == [True, False, False]
    assert queries == [2, 1]


def test_a_condition_that_fails_leaves_its_neighbours(queries: list[int]) -> None:
    rows = Rows({"n": ["1", "x"]})
    good, bad, elsewhere = masks(_conditions("n = '1'", "CAST(n AS INT64) > 0", "m = 1"), rows)
    assert good is not None
    assert good.tolist() == [True, False]
    assert bad is None
    assert elsewhere is None
    assert queries == [2, 1, 1]


def test_more_rows_than_the_database_holds_are_loaded_again() -> None:
    many = [Rows({"n": [number]}) for number in range(40)]
    for over in (0, 10):
        found = [selected(_conditions(f"n > {over}"), rows) for rows in many]
        assert found == [[number > over] for number in range(40)]


def test_no_rows_hold_nothing(queries: list[int]) -> None:
    assert selected(_conditions("n > 1"), Rows({"n": []})) == []
    assert queries == []


@pytest.mark.parametrize("doubled", ["x + x", "IF(x > 1, x, x)"])
def test_steps_that_double_a_value_are_traced_once(doubled: str) -> None:
    steps = [f"a{at} AS (SELECT {doubled} AS x FROM a{at - 1})" for at in range(1, 30)]
    first = "a0 AS (SELECT anchor_age AS x FROM patients)"
    sql = f"WITH {', '.join([first, *steps])} SELECT AVG(x) AS m FROM a29 WHERE x > 3"
    assert list(query_facts(sql).output) == ["m"]
