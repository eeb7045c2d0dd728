"""The records that gold queries read: tables of a record map, names of columns, and predicates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Concept, Condition, Outcome
from wardround.authoring.clinsql.specification import CohortSpec, QuestionSpec, Sex
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_columns
from wardround.ehr.records import (
    JoinedRows,
    RecordMap,
    joined_rows,
    load_map,
    published_map,
    without_unread,
)
from wardround.ehr.schema import load_schema
from wardround.ehr.terms.conversions import unit_named

DIALECT = "bigquery"
# The system of the item ids of concepts, as record maps name it.
ITEMS = "mimic_item"
# The characters of an ICD code before its dot; E codes of ICD-9 have one more.
_BEFORE_DOT = {"diagnosis": 3, "procedure": 2}
# The kinds whose times are compared with those of stays.
_TIMED = ("admission", "icu", "lab", "vital", "drug", "intervention")
_ALIASES = {"patient": "p", "admission": "a", "diagnosis": "d", "icu": "i", "comorbidity": "m"}
# The roles that stages hand on, each under a name of its own.
_STAY = (
    ("patient", "patient"),
    ("admission", "admission"),
    ("admission", "time"),
    ("admission", "finish"),
    ("admission", "died"),
    ("icu", "stay"),
    ("icu", "time"),
    ("icu", "finish"),
)
SEXES: Mapping[Sex, str] = {"F": "female", "M": "male"}
VERSIONS = {9: "icd9", 10: "icd10"}


@dataclass(frozen=True, eq=False)
class RecordTables:
    """The tables of a map.

    Attributes:
        records: The map.
        columns: The columns of each table, in the order of the layout.
        tests: The units of tests by name and kind of record, where tests have no item ids that are
            known.
    """

    records: RecordMap
    columns: Mapping[str, tuple[str, ...]]
    tests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def rows(self, kind: str, alias: str = "", beside: tuple[str, ...] = ()) -> JoinedRows:
        """The records of a kind in a FROM clause; other kinds stand there under their aliases."""
        return _rows(self, kind, alias or _ALIASES.get(kind, "e"), beside)

    def name(self, kind: str, column: str) -> str:
        """The name of a column of a stay in the stages of a query."""
        return self._names[kind, column]

    def key(self, cohort: CohortSpec) -> str:
        """The column that names a stay of a cohort."""
        return self.name("icu", "stay") if cohort.icu else self.name("admission", "admission")

    @property
    def is_published(self) -> bool:
        """True for the layout of published items, whose columns checks of conditions know."""
        return bool(self.records.dataset)

    @cached_property
    def is_by_day(self) -> bool:
        """True if times are known to the day: then stays and windows are counted in days."""
        timed = (self.records.kinds[kind] for kind in _TIMED if self.records.has(kind, "time"))
        return any(each.columns["time"].precision != "second" for found in timed for each in found)

    def time(self, rows: JoinedRows, column: str = "time") -> str:
        """A time of records; a date if times are known to the day."""
        text = sql(rows, column)
        return f"DATE({text})" if self.is_by_day else text

    def table_of(self, kind: str) -> str:
        """The name of the table of a kind's records."""
        return self.rows(kind, "e").table.name.rpartition(".")[2]

    def has_end(self, spec: QuestionSpec) -> bool:
        """True if stages hand on how a stay ended: as a column, or computed for the result."""
        if not self.records.has("admission", spec.end):
            return False
        return spec.reads_end or self.rows("admission").is_plain(spec.end)

    @cached_property
    def _names(self) -> Mapping[tuple[str, str], str]:
        """Names by kind and column: the column's own where no other has it."""
        plain = {role: self._plain_name(*role) for role in _STAY if self.records.has(*role)}
        taken = list(plain.values())
        names = {
            (kind, column): name if name and taken.count(name) == 1 else f"{kind}_{column}"
            for (kind, column), name in plain.items()
        }
        return {**names, ("admission", "destination"): "discharge_location"}

    def _plain_name(self, kind: str, column: str) -> str:
        rows = self.rows(kind)
        return rows.columns[column].name if rows.is_plain(column) else ""


@lru_cache(512)
def _rows(tables: RecordTables, kind: str, alias: str, beside: tuple[str, ...]) -> JoinedRows:
    return joined_rows(tables.records, kind, alias, [tables.rows(each) for each in beside])


def read_tables(database: Database) -> RecordTables | None:
    """The tables of a database; None if no packaged map fits it."""
    columns = {
        table: tuple(column.name for column in database.columns(table))
        for table in database.tables()
    }
    columns.setdefault(CHARLSON, charlson_columns())
    records = published_map(columns)
    if records is None:
        return None
    return RecordTables(records, _in_order(records, columns))


def published_tables() -> RecordTables:
    """The tables of MIMIC-IV as published items read them."""
    records = load_map("mimic_iv_bigquery")
    return RecordTables(records, _in_order(records, {CHARLSON: charlson_columns()}))


def _in_order(
    records: RecordMap, columns: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """The columns of the layout's tables, then those of others."""
    layout = {
        table.name: tuple(column.name for column in table.columns)
        for table in load_schema(records.layout).tables
    }
    return {**layout, **{name: own for name, own in columns.items() if name not in layout}}


def sql(rows: JoinedRows, column: str) -> str:
    """A column of records as text."""
    return rows.columns[column].sql(DIALECT)


def key_sql(rows: JoinedRows, column: str) -> str:
    """A key of records, to be compared with a recorded stay's."""
    return rows.key(column).sql(DIALECT)


def selected(expression: str, name: str) -> str:
    """An item of a select list; a column of that name needs no alias.

    >>> selected("a.hadm_id", "hadm_id"), selected("DATE(a.day)", "day")
    ('a.hadm_id', 'DATE(a.day) AS day')
    """
    alias, _, column = expression.partition(".")
    return expression if column == name and alias.isidentifier() else f"{expression} AS {name}"


def from_rows(query: exp.Select, rows: JoinedRows) -> exp.Select:
    """A query of records."""
    return _with_lookups(query.from_(rows.table.copy()), rows)


def join_rows(query: exp.Select, rows: JoinedRows, on: str) -> exp.Select:
    """A query with records joined to it."""
    return _with_lookups(query.join(rows.table.copy(), on=on, dialect=DIALECT), rows)


def join_stays(
    query: exp.Select, rows: JoinedRows, column: str, stay: str, patient: str
) -> exp.Select:
    """A query with records joined by the key of their stay.

    Args:
        query: The query, which has recorded stays in its FROM clause.
        rows: The records.
        column: Their key of the stay.
        stay: The key of the stays.
        patient: The key of the stays' patients.
    """
    key = rows.key(column)
    if all(each.table == rows.alias for each in key.find_all(exp.Column)):
        return join_rows(query, rows, f"{stay} = {key.sql(DIALECT)}")
    query = join_rows(query, rows, f"{patient} = {sql(rows, 'patient')}")
    return query.where(f"{stay} = {key.sql(DIALECT)}", dialect=DIALECT)


def _with_lookups(query: exp.Select, rows: JoinedRows) -> exp.Select:
    for lookup in rows.lookups:
        query.append("joins", lookup.copy())
    return query.where(rows.where.copy()) if rows.where is not None else query


def hours_between(rows: JoinedRows, tables: RecordTables) -> str:
    """The hours from the time of records to their end; of days, their hours."""
    start, end = tables.time(rows), tables.time(rows, "finish")
    if tables.is_by_day:
        return f"24 * DATE_DIFF({end}, {start}, DAY)"
    return f"DATETIME_DIFF({end}, {start}, HOUR)"


def cohort_predicates(cohort: CohortSpec, tables: RecordTables) -> Iterator[str]:
    """The conditions on sex and age."""
    people = tables.rows("patient")
    if cohort.sex:
        yield _equals(people.columns["sex"], written_sex(cohort.sex, tables))
    if cohort.ages:
        low, high = cohort.ages
        yield f"{age(cohort, tables)} BETWEEN {low} AND {high}"


def _equals(value: exp.Expr, text: str) -> str:
    """The predicate that a value is a text; of CASE x WHEN 1 THEN 'a' …, that x is its number.

    >>> from sqlglot import parse_one
    >>> _equals(parse_one("CASE p.sex WHEN 1 THEN 'F' WHEN 2 THEN 'M' END"), "M")
    'p.sex = 2'
    """
    if isinstance(value, exp.Case) and value.this and not value.args.get("default"):
        named = [each.this for each in value.args["ifs"] if each.args["true"].name == text]
        if len(named) == 1:
            return exp.EQ(this=value.this.copy(), expression=named[0].copy()).sql(DIALECT)
    return exp.EQ(this=value.copy(), expression=exp.Literal.string(text)).sql(DIALECT)


def written_sex(sex: Sex, tables: RecordTables) -> str:
    """How the layout writes F or M."""
    (text, *_) = tables.records.texts("patient", "sex", SEXES[sex])
    return text


def age(cohort: CohortSpec, tables: RecordTables) -> str:
    """The age by the cohort's convention."""
    if cohort.convention == "anchor":
        return sql(tables.rows("patient"), "age")
    return age_at_admission(tables)


def age_at_admission(tables: RecordTables) -> str:
    """The age at admission: as the record has it, or from the birth."""
    stays = tables.rows("admission", beside=("patient",))
    if "age" in stays.columns:
        return sql(stays, "age")
    born, admitted = sql(tables.rows("patient"), "birth"), f"DATE({sql(stays, 'time')})"
    before = f"FORMAT_DATE('%m%d', {admitted}) < FORMAT_DATE('%m%d', {born})"
    return f"DATE_DIFF({admitted}, {born}, YEAR) - IF({before}, 1, 0)"


def has_code(coded: Condition | Concept, kind: str, rows: JoinedRows, tables: RecordTables) -> str:
    """The predicate on records with ICD codes.

    >>> tables = published_tables()
    >>> sepsis = Condition("sepsis", "", ("038%",), ("A41%",))
    >>> has_code(sepsis, "diagnosis", tables.rows("diagnosis"), tables).split(" OR ")[0]
    "((d.icd_version = 9 AND d.icd_code LIKE '038%')"
    """
    [source] = tables.records.kinds[kind]
    is_number = source.columns["system"].type == "number"
    predicates = []
    for version, patterns in ((9, coded.icd9), (10, coded.icd10)):
        for text in tables.records.texts(kind, "system", VERSIONS[version]):
            system = f"{sql(rows, 'system')} = {text if is_number else repr(text)}"
            written = [
                dotted(each, kind, version) if is_dotted(kind, tables) else each
                for each in patterns
            ]
            predicates.append(f"({system} AND {_like(sql(rows, 'code'), tuple(written))})")
    return _any(predicates)


def _has_system(kind: str, rows: JoinedRows, tables: RecordTables) -> str:
    """The predicate on records with any ICD code, where others may stand beside them."""
    texts = [
        text for name in VERSIONS.values() for text in tables.records.texts(kind, "system", name)
    ]
    return f"CAST({sql(rows, 'system')} AS STRING) IN ({', '.join(map(repr, texts))})"


def dotted(code: str, kind: str, version: int) -> str:
    """An ICD code, or a pattern of codes, with its dot.

    >>> dotted("4273%", "diagnosis", 9), dotted("I50%", "diagnosis", 10)
    ('427.3%', 'I50%')
    >>> dotted("9904%", "procedure", 9), dotted("30233N1%", "procedure", 10)
    ('99.04%', '30233N1%')
    """
    if (kind, version) == ("procedure", 10):
        return code
    place = _BEFORE_DOT[kind] + code.startswith("E") * (version == 9)
    return code if len(code.rstrip("%")) <= place else f"{code[:place]}.{code[place:]}"


def is_dotted(kind: str, tables: RecordTables) -> bool:
    """True if ICD codes of a kind have their dot."""
    return tables.records.kinds[kind][0].columns["code"].dotted


def has_codes(kind: str, tables: RecordTables) -> bool:
    """True if records of a kind have ICD codes, each with its version."""
    has_columns = all(tables.records.has(kind, column) for column in ("code", "system"))
    return has_columns and all(
        tables.records.texts(kind, "system", name) for name in VERSIONS.values()
    )


def has_items(kind: str, tables: RecordTables) -> bool:
    """True if records of a kind have the item ids of concepts."""
    sources = tables.records.kinds.get(kind, ())
    codes = [source.columns.get("code") for source in sources]
    return bool(codes) and all(code is not None and code.system == ITEMS for code in codes)


def by_name(concept: Concept, tables: RecordTables) -> Concept:
    """A concept as its records are found: by items where there are such ids, else by names."""
    if not concept.items or has_items(concept.kind, tables):
        return replace(concept, names=())
    tests = tables.tests.get(concept.kind, {})
    names = tuple(
        name
        for name, unit in tests.items()
        if name.lower() in concept.names and _is_same_unit(unit, concept.unit)
    )
    return replace(concept, items=(), names=names)


def _is_same_unit(unit: str, other: str) -> bool:
    """True for two names of a unit.

    >>> _is_same_unit("insp/min", "breaths per minute"), _is_same_unit("umol/L", "mg/dL")
    (True, False)
    """
    known = unit_named(unit)
    return known is not None and known == unit_named(other)


def is_selectable(concept: Concept, tables: RecordTables) -> bool:
    """True if the records of a concept can be told from others of their kind."""
    records, kind = tables.records, concept.kind
    if concept.companion and not is_selectable(concept.companion, tables):
        return False
    if concept.items or concept.has_values:
        return bool(concept.names) or has_items(kind, tables)
    if concept.patterns:
        return records.has(kind, "name")
    return kind not in ("diagnosis", "procedure") or has_codes(kind, tables)


def event_predicates(concept: Concept, rows: JoinedRows, tables: RecordTables) -> Iterator[str]:
    """The conditions on records of a concept."""
    if concept.items:
        ids, item = ", ".join(map(str, concept.items)), sql(rows, "code")
        yield f"{item} IN ({ids})" if len(concept.items) > 1 else f"{item} = {ids}"
    elif concept.names:
        names, name = ", ".join(map(repr, concept.names)), sql(rows, "name")
        yield f"{name} IN ({names})" if len(concept.names) > 1 else f"{name} = {names}"
    if concept.patterns:
        yield _like(f"LOWER({sql(rows, 'name')})", concept.patterns)
    if concept.is_any_code and not tables.is_published:
        yield _has_system(concept.kind, rows, tables)
    if concept.icd9:
        yield has_code(concept, concept.kind, rows, tables)
    if concept.has_values:
        low, high = concept.plausible
        yield f"{sql(rows, 'value')} BETWEEN {low} AND {high}"


def outcome_predicate(outcome: Outcome, column: str) -> str:
    """The condition on a stay that ends so."""
    values = [f"{value!r}" for value in outcome.values]
    return f"{column} = {values[0]}" if len(values) == 1 else f"{column} IN ({', '.join(values)})"


def stays_with(concept: Concept, tables: RecordTables) -> exp.Select:
    """The admissions with an event of a concept."""
    rows = tables.rows(concept.kind, "f")
    events = from_rows(select(key_sql(rows, "admission"), dialect=DIALECT), rows)
    return without_unread(events.where(*event_predicates(concept, rows, tables), dialect=DIALECT))


def _like(column: str, patterns: tuple[str, ...]) -> str:
    return _any([f"{column} LIKE {pattern!r}" for pattern in patterns])


def _any(predicates: list[str]) -> str:
    return predicates[0] if len(predicates) == 1 else f"({' OR '.join(predicates)})"
