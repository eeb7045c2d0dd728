"""Resolution of column names in scopes, each rule for itself."""

import pytest
import sqlglot
from sqlglot import exp

from tests.cases import for_each
from wardround.ehr.database.googlesql.strictness.scopes import UNKNOWN, Scope, Source
from wardround.ehr.database.interface import QueryError

INT, TEXT = exp.DataType.build("INT64"), exp.DataType.build("STRING")
POINT = exp.DataType.build("STRUCT<x INT64, name STRING>", dialect="bigquery")
PATIENTS = Source((("id", INT), ("sex", TEXT)), path=("hosp", "patients"))
STAYS = Source((("id", INT), ("unit", TEXT), ("at", POINT)), path=("icu", "stays"))


def scope(outer: Scope | None = None, **sources: Source) -> Scope:
    made = Scope(outer)
    for alias, source in sources.items():
        made.add(alias, source)
    return made


def resolved(where: Scope, text: str) -> exp.Column:
    column = sqlglot.parse_one(f"SELECT {text}", dialect="bigquery").expressions[0]
    assert isinstance(column, exp.Column)
    where.resolve(column)
    return column


def test_a_column_gets_its_source_and_type() -> None:
    column = resolved(scope(p=PATIENTS, s=STAYS), "SEX")
    assert (column.table, column.name, column.type) == ("p", "sex", TEXT)


@pytest.mark.parametrize(
    ("text", "source", "name", "kind"),
    [
        ("s.unit", "s", "unit", TEXT),
        ("hosp.patients.sex", "p", "sex", TEXT),
        ("s.at.x", "s", "at.x", INT),
        ("at.name", "s", "at.name", TEXT),
    ],
)
def test_paths_lead_to_columns_and_fields(
    text: str, source: str, name: str, kind: exp.DataType
) -> None:
    column = resolved(scope(p=PATIENTS, s=STAYS), text)
    assert (column.table, column.name) == (source, name)
    assert column.type == kind


@for_each(
    [
        ("id", "ambiguous column"),
        ("nothing", "unknown column"),
        ("p.unit", "unknown column"),
        ("q.sex", "unknown column"),
        ("at.y", "unknown column"),
        ("sex.first", "unknown column"),
        ("icu.patients.sex", "unknown column"),
    ]
)
def test_other_names_are_refused(text: str, rule: str) -> None:
    with pytest.raises(QueryError, match=rule):
        resolved(scope(p=PATIENTS, s=STAYS), text)


def test_an_alias_names_one_source() -> None:
    with pytest.raises(QueryError, match="duplicate alias"):
        scope(p=PATIENTS).add("p", STAYS)


def test_a_source_with_two_columns_of_one_name_has_neither_by_name() -> None:
    doubled = Source((("id", INT), ("id", TEXT)))
    for text in ("id", "d.id"):
        with pytest.raises(QueryError, match="ambiguous column"):
            resolved(scope(d=doubled), text)


def test_a_column_of_using_belongs_to_no_source() -> None:
    joined = scope(p=PATIENTS, s=STAYS)
    joined.merged["id"] = INT
    column = resolved(joined, "id")
    assert (column.table, column.type) == ("", INT)


def test_an_alias_of_the_select_list_comes_after_columns() -> None:
    total = exp.Literal.number(1)
    total.type = INT
    selected = Scope(sources={"p": PATIENTS}, aliases={"sex": total, "total": total})
    assert resolved(selected, "sex").table == "p"
    column = resolved(selected, "total")
    assert (column.table, column.type, column.meta["alias"]) == ("", INT, True)


def test_an_alias_without_a_type_is_unknown() -> None:
    selected = Scope(aliases={"total": exp.Literal.number(1)})
    assert resolved(selected, "total").type == UNKNOWN


def test_a_path_does_not_begin_with_an_alias_of_the_select_list() -> None:
    total = exp.Literal.number(1)
    total.type = POINT
    with pytest.raises(QueryError, match="unknown column"):
        resolved(Scope(aliases={"total": total}), "total.x")


def test_an_inner_name_hides_the_outer_one() -> None:
    inner = scope(scope(p=PATIENTS, s=STAYS), t=Source((("sex", INT),)))
    assert resolved(inner, "sex").table == "t"
    outer = resolved(inner, "unit")
    assert outer.table == "s"
    assert outer.meta["scope"] == id(inner.outer)


def test_a_source_of_unknown_columns_has_every_name_that_no_other_has() -> None:
    mixed = scope(o=Source(open=True), p=PATIENTS)
    assert resolved(mixed, "sex").table == "p"
    column = resolved(mixed, "anything")
    assert (column.table, column.type) == ("o", UNKNOWN)
    two = scope(o=Source(open=True), q=Source(open=True))
    assert resolved(two, "anything").table == "o"


def test_rows_that_are_values_go_by_their_alias() -> None:
    values = scope(v=Source((("v", POINT),), value=POINT))
    assert resolved(values, "v.x").type == INT


def test_a_whole_value_and_a_whole_row_go_by_the_alias() -> None:
    numbers = scope(n=Source(value=INT), p=PATIENTS)
    value, row = resolved(numbers, "n"), resolved(numbers, "p")
    assert (value.table, value.name, value.type) == ("n", "n", INT)
    assert (row.table, row.name, row.type) == ("p", "p", UNKNOWN)


def test_a_qualified_name_means_the_source_and_not_a_column_of_that_name() -> None:
    both = scope(p=PATIENTS, t=Source((("p", POINT), ("sex", INT))))
    assert (resolved(both, "p.sex").table, resolved(both, "p").table) == ("p", "t")


def test_equal_columns_are_written_alike() -> None:
    where = scope(p=PATIENTS)
    written = {resolved(where, text).sql() for text in ("sex", "P.sex", "hosp.patients.SEX")}
    assert written == {'"p"."sex"'}
    joined = scope(p=PATIENTS)
    joined.merged["id"] = INT
    assert resolved(joined, "id").sql() == '"id"'


def test_fields_of_unknown_values_are_unknown_and_scalars_have_none() -> None:
    assert resolved(scope(o=Source(open=True)), "o.anything.x").type == UNKNOWN
    with pytest.raises(QueryError, match="a value that has no fields"):
        resolved(scope(p=PATIENTS), "sex.first")


def test_a_path_of_one_name_is_no_qualifier() -> None:
    with pytest.raises(QueryError, match="unknown column"):
        resolved(scope(s=Source((("unit", TEXT),), path=("stays",))), "stays.unit")
