from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.authoring.clinsql.golds import GOLDS
from tests.hospitals import hospital_file
from tools.suites.clinsql_mutants import KINDS, mutants
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.queries.decider import decide_query
from wardround.benchmarks.clinsql.checks.queries.vocabulary import vocabulary
from wardround.benchmarks.clinsql.checks.results import decide_results
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    ColumnExists,
    SqlCheck,
    read_check,
)
from wardround.ehr.database import open_database


@pytest.fixture(scope="module")
def hospitals() -> Iterator[list[Executions]]:
    paths = (hospital_file("mimic_iv", 40, seed=7), hospital_file("mimic_iv", 8, seed=3))
    databases = [open_database(f"googlesql:{path}") for path in paths]
    yield [Executions(database, 30.0) for database in databases]
    for database in databases:
        database.close()


def failed_kinds(checks: list[dict[str, Any]], sql: str, gold: str, first: Executions) -> set[str]:
    words = vocabulary(first)
    found = set[str]()
    for check in checks:
        leaf = cast("SqlCheck | AllOf", read_check(check, "gold"))
        if decide_query(leaf, sql, gold, words).state == "failed":
            found.add(leaf.kind)
    mine, wanted = first.of(sql), first.of(gold)
    for place, name in enumerate(wanted.columns):
        column = ColumnExists(column=Column(names=(name,), position=place))
        facts = ResultFacts(wanted.columns, wanted.rows)
        finding = decide_results(column, ResultFacts(mine.columns, mine.rows), facts)
        if finding.state == "failed":
            found.add("column")
    return found


def test_every_kind_has_a_mutant() -> None:
    assert {each.kind for _, gold, _ in GOLDS for each in mutants(gold)} == {*KINDS}


@pytest.mark.parametrize(
    "golds",
    [
        pytest.param(GOLDS[::4], id="one in four"),
        pytest.param(GOLDS, id="all", marks=pytest.mark.slow),
    ],
)
def test_a_mutant_fails_the_leaf_that_it_breaks(
    golds: list[tuple[str, str, list[dict[str, Any]]]], hospitals: list[Executions]
) -> None:
    caught, missed, equal, tried = Counter[str](), [], Counter[str](), set[str]()
    for _, gold, checks in golds:
        assert not failed_kinds(checks, gold, gold, hospitals[0]), gold
        have = {str(check["kind"]) for check in checks} | {"column"}
        for mutant in mutants(gold):
            kind = mutant.kind
            if not kind.breaks & have:
                continue
            tried.add(kind.name)
            outcomes = [(hospital.of(mutant.sql), hospital.of(gold)) for hospital in hospitals]
            assert all(mine.succeeded for mine, _ in outcomes), (kind.name, outcomes[0][0].error)
            if all((m.columns, list(m.rows)) == (g.columns, list(g.rows)) for m, g in outcomes):
                equal[kind.name] += 1
                continue
            failed = failed_kinds(checks, mutant.sql, gold, hospitals[0])
            assert failed <= kind.breaks | kind.may_fail, (kind.name, failed, mutant.sql)
            if failed & kind.breaks:
                caught[kind.name] += 1
            elif kind.name != "renamed column":  # undecided where its values are the gold's
                missed.append((kind.name, mutant.sql))
    assert missed == []
    # A kind is not caught only if its mutants are equal to their golds on these hospitals.
    assert tried - set(caught) <= set(equal)
