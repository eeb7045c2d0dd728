"""One table of queries that BigQuery accepts or refuses, held against both checks.

`accepted.sql` and `refused.sql` have two lines a case: its construct or the rule it breaks and
where BigQuery's reference has it, and the query.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cases import one_in
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.strictness import analyser
from wardround.ehr.database.googlesql.strictness.check import check
from wardround.ehr.database.interface import QueryError

_Types = Mapping[str, Mapping[str, str]]


class Case(NamedTuple):
    rule: str
    query: str


def _cases(name: str) -> list[Case]:
    lines = (Path(__file__).parent / f"{name}.sql").read_text().splitlines()
    heads = [line.removeprefix("-- ").split(" | ") for line in lines[::2]]
    return [Case(head[0], query) for head, query in zip(heads, lines[1::2], strict=True)]


@pytest.fixture(scope="module")
def types(records: Database) -> dict[str, dict[str, str]]:
    return {
        table: {column.name: column.type for column in records.columns(table)}
        for table in records.tables()
    }


@pytest.fixture(params=["analyser", "sqlglot"])
def module(request: pytest.FixtureRequest) -> Path | None:
    if request.param == "sqlglot":
        return None
    if not analyser.is_installed():
        pytest.skip("GoogleSQL's analyser is not installed; install the extra googlesql")
    return analyser.compiled_module()


def _refusal(query: str, types: _Types, module: Path | None) -> str | None:
    try:
        check(query, types, module)
    except QueryError as error:
        return f"{error.kind}: {error}"
    return None


class Mistakes(NamedTuple):
    """Counts of accepted cases that are refused, refused ones that pass, and ones without rule."""

    refused: int
    passed: int
    unnamed: int


MISTAKES = {"analyser": Mistakes(0, 0, 12), "sqlglot": Mistakes(0, 7, 15)}


def _name(module: Path | None) -> str:
    return "analyser" if module else "sqlglot"


def test_accepted_queries_pass(module: Path | None, types: _Types) -> None:
    cases = one_in(4, _cases("accepted"))
    refused = {
        case.query: reason for case in cases if (reason := _refusal(case.query, types, module))
    }
    assert len(refused) == MISTAKES[_name(module)].refused, refused


def test_refused_queries_do_not(module: Path | None, types: _Types) -> None:
    cases = _cases("refused")
    passed = [case for case in cases if _refusal(case.query, types, module) is None]
    assert len(passed) == MISTAKES[_name(module)].passed, passed


def test_a_refusal_names_the_rule(module: Path | None, types: _Types) -> None:
    cases = [(case, _refusal(case.query, types, module) or "") for case in _cases("refused")]
    unnamed = [each for each in cases if f"({each[0].rule}:" not in each[1]]
    assert all(reason.startswith("syntax: ") for _, reason in cases if reason)
    assert len(unnamed) == MISTAKES[_name(module)].unnamed, unnamed


def test_at_least_half_of_the_cases_are_accepted() -> None:
    accepted, refused = len(_cases("accepted")), len(_cases("refused"))
    assert accepted >= refused
    assert accepted + refused >= 240


def test_the_cohort_queries_pass(module: Path | None, types: _Types) -> None:
    folder = Path(__file__).parents[1] / "queries"
    queries = [each for file in folder.glob("*.sql") for each in file.read_text().split("\n;;\n")]
    assert not {
        query: reason for query in one_in(4, queries) if (reason := _refusal(query, types, module))
    }


def test_a_refused_query_does_not_run(records: Database) -> None:
    with pytest.raises(QueryError, match="unknown function"):
        records.execute("SELECT MEDIAN(anchor_age) AS m FROM mimiciv_3_1_hosp.patients")


def test_the_word_of_a_script_reaches_the_check(module: Path | None, types: _Types) -> None:
    script = (
        "DECLARE sex STRING DEFAULT 'F'; SELECT 1 AS x FROM mimiciv_hosp.patients WHERE {} = sex"
    )
    assert _refusal(script.format("gender"), types, module) is None
    assert "comparable types" in (_refusal(script.format("anchor_age"), types, module) or "")
