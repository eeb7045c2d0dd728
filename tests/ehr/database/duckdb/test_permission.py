"""Statements permitted on DuckDB, and the state they leave in a session."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import duckdb
import pytest

from tests.cases import for_each
from wardround.ehr.database import Database, Limits, QueryError, open_database
from wardround.ehr.database.duckdb.statements import READING, DuckdbStatements, connect, permitted

_TABLES = "create table demographics as select range as patientid from range(10)"

# Each leaves state in its session if it runs.
LEAVING = (
    "create temp view demographics as select 666 as patientid",
    "create or replace temp table demographics as select 666 as patientid",
    "create temp macro abs(x) as 666",
    "create temp sequence counter",
    "create temp type mood as enum ('sad')",
    "prepare plan as select 1",
    "begin",
    "set variable known = 1",
    "set search_path = 'temp'",
    "insert into demographics values (666)",
    "delete from demographics",
    "drop table demographics",
    "attach ':memory:' as loot",
    "load json",
    "call checkpoint()",
    "pragma enable_verification",
    "vacuum",
    "copy demographics to 'loot.csv'",
)
# The text from EXPLAIN to the statement; {} takes a disguise.
_PREFIXES = (
    "{}explain{}",
    "{}explain{}analyze{}",
    "{}explain{}analyse{}",
    "{}explain{}({}analyze{}){}",
    "{}explain{}({}format{}json{}){}",
    "{}explain{}({}analyze{},{}format{}json{}){}",
    "{}explain{}analyze{}({}analyze{}){}",
    '{}explain{}({}"analyze"{}){}',
    "{}explain{}({}analyze{}true{}){}",
    "{}explain{}({}analyze{}'select 1'{}){}",
)
_DISGUISES = (
    " ",
    "\n\t\r ",
    "\u00a0",
    "/**/",
    "/*) SELECT 1 --*/",
    "/* /* */ select 1 */",
    "--) select 1\n",
    "--) select 1 /*\n",
    " /*'*/ /*\"*/ ",
    " /*$$*/ ",
    " é/*é) select 1*/",
)


def _disguised(prefix: str, disguise: str) -> Iterator[str]:
    """The prefix with a disguise in each single one of its gaps."""
    gaps = prefix.count("{}")
    for gap in range(gaps):
        yield prefix.format(*[disguise if each == gap else " " for each in range(gaps)])


def _family(statement: str) -> list[str]:
    """A statement under every form of EXPLAIN, with every disguise in all its gaps and any case."""
    texts = {
        prefix.format(*[disguise] * prefix.count("{}")) + wrapped
        for prefix, disguise in product(_PREFIXES, _DISGUISES)
        for wrapped in (statement, f"({statement})")
    }
    nested = {f"explain explain {statement}", f"explain (explain {statement})"}
    alone = {f"{disguise}{statement}" for disguise in _DISGUISES}
    both = {f"explain select 1; {statement}", f"explain {statement}; select 1"}
    return sorted({*(text.upper() for text in texts), *texts, *nested, *alone, *both})


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(_TABLES)
    return path


@pytest.fixture
def database(small: Path) -> Iterator[Database]:
    opened = open_database(str(small))
    yield opened
    opened.close()


# Attacks of the other kinds, without a disguise, are in attacks.txt.
@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(each, marks=[pytest.mark.slow] if at % 3 else [])
        for at, each in enumerate(LEAVING)
    ],
)
def test_no_disguise_gets_a_statement_past_the_parser(small: Path, statement: str) -> None:
    with connect(str(small), Limits(), read_only=True) as connection:
        for text in _family(statement):
            with pytest.raises((QueryError, duckdb.Error)):
                permitted(connection, text, READING)


@pytest.mark.parametrize("prefix", _PREFIXES)
def test_no_disguise_in_a_single_gap_gets_a_statement_past_the_parser(
    small: Path, prefix: str
) -> None:
    with connect(str(small), Limits(), read_only=True) as connection:
        for disguise, statement in product(_DISGUISES, LEAVING[:2]):
            for text in _disguised(prefix, disguise):
                with pytest.raises((QueryError, duckdb.Error)):
                    permitted(connection, text + statement, READING)


@for_each(
    [
        "explain ",
        "EXPLAIN/**/",
        "explain--(\n",
        "explain (format json)",
        "explain (analyze, format json) ",
        "explain analyze ",
        "explain analyse /*) CREATE VIEW a AS --*/",
        "explain analyze (analyze)",
    ]
)
def test_explain_of_a_query_runs(prefix: str, *, database: Database) -> None:
    assert database.execute(f"{prefix}(select 'é', count(*) from demographics)").rows


def test_comment_does_not_hide_what_is_explained(database: Database) -> None:
    hidden = "EXPLAIN (ANALYZE /*) SELECT 1 --*/) CREATE TEMP VIEW demographics AS SELECT 666"
    with pytest.raises(QueryError, match="not allowed here: CREATE"):
        database.execute(hidden)
    assert database.execute("select count(*) from demographics").rows == [(10,)]


def test_session_state_is_discarded_even_if_all_statements_are_allowed(small: Path) -> None:
    allowed = {name.upper() for name in dir(duckdb.StatementType)}
    with connect(str(small), Limits(), read_only=True) as connection:
        statements = DuckdbStatements(connection, allowed, Limits(), lasting=False)
        before = _state(statements)
        for statement in LEAVING:
            with suppress(QueryError):
                statements.run(statement, None)
            assert _state(statements) == before, statement


def test_seed_does_not_outlive_its_statement(database: Database) -> None:
    draws = set()
    for _ in range(3):
        database.execute("select setseed(0.5)")
        draws.add(database.execute("select random()").rows[0])
    assert len(draws) == 3


def test_workspace_keeps_its_session(database: Database) -> None:
    workspace = database.writable()
    workspace.execute("create temp table noted as select 7 as seven")
    assert workspace.execute("select seven from noted").rows == [(7,)]
    with pytest.raises(QueryError, match="not allowed here: PREPARE"):
        workspace.execute("explain analyze (analyze) prepare plan as select 1")
    workspace.close()


def _state(statements: DuckdbStatements) -> dict[str, object]:
    """All readable state of a session and the open file."""
    queries = {
        "rows": "from demographics",
        "databases": "select database_name from duckdb_databases()",
        "tables": "select database_name, table_name from duckdb_tables()",
        "views": "select view_name from duckdb_views() where not internal",
        "functions": "select function_name from duckdb_functions() where not internal",
        "types": "select type_name from duckdb_types() where not internal",
        "sequences": "select sequence_name from duckdb_sequences()",
        "schemas": "select schema_name from duckdb_schemas() where not internal",
        "settings": "select name, value from duckdb_settings()",
        "variables": "select name from duckdb_variables()",
        "plans": "select name from duckdb_prepared_statements()",
        "function": "select abs(-1)",
    }
    return {name: statements.run(sql, None).rows for name, sql in queries.items()}
