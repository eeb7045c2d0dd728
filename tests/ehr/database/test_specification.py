"""The specified behaviour of databases on every engine; the examples are in `specification/`."""

import doctest
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from tests.cases import for_each
from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.ehr.database.specified import Case, insert, read_cases, read_tables
from wardround.ehr.database import (
    Database,
    Limits,
    QueryError,
    ResultTable,
    open_database,
    write_database,
)


@dataclass(frozen=True)
class Opened:
    """The specified data on one engine, opened twice: with default and with small limits."""

    engine: str
    database: Database
    small: Database


@pytest.fixture(scope="module")
def opened(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Opened]:
    engine: str = request.param
    folder = tmp_path_factory.mktemp("specified")
    with made_database(engine, folder, []) as location:
        _fill(location)
        database = open_database(location)
        small = open_database(location, Limits(result_bytes=500))
        yield Opened(engine, database, small)
        database.close()
        small.close()


def _fill(location: str) -> None:
    target = write_database(location)
    for table, rows in read_tables():
        target.create(table)
        for row in rows:
            target.execute(insert(table, row))
    target.close()


@pytest.mark.parametrize(
    "opened", [pytest.param(name, marks=needs(name)) for name in ENGINES], indirect=True
)
@for_each(read_cases())
def test_engine_meets_the_specification(case: Case, *, opened: Opened) -> None:
    if case.statements and not case.sql(opened.engine):
        return
    if case.talk:
        _hold(case, opened.database)
    elif case.error:
        with pytest.raises(QueryError) as caught:
            _answer(opened, case)
        assert caught.value.kind == case.error
    else:
        _compare(case, _answer(opened, case))


def _answer(opened: Opened, case: Case) -> object:
    if case.call:
        names = {"execute": opened.database.execute, "small": opened.small}
        return eval(case.call, names)  # noqa: S307 - it is in this repository
    return opened.database.execute(case.sql(opened.engine) or "")


def _compare(case: Case, answer: object) -> None:
    assert case.expected
    if not isinstance(answer, ResultTable):
        assert ((answer,),) == case.expected.rows
        return
    assert answer.columns == case.expected.head
    assert tuple(answer.rows) == case.expected.rows
    # Compare types too, because 1 == 1.0 == True in Python.
    assert _types(answer.rows) == _types(case.expected.rows)
    assert answer.truncated == case.truncated


def _types(rows: Iterable[tuple[object, ...]]) -> list[list[type]]:
    return [[type(cell) for cell in row] for row in rows]


def _hold(case: Case, database: Database) -> None:
    names = {"database": database, "QueryError": QueryError}
    talk = doctest.DocTestParser().get_doctest(case.talk, names, case.name, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(talk, out=failures.append)
    assert not failures, "".join(failures)


def test_every_kind_of_error_is_specified() -> None:
    kinds = {case.error for case in read_cases()}
    assert kinds >= {"syntax", "denied", "timeout", "limit", "runtime"}
