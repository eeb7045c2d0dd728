"""Predicates of gold queries: cohorts, codes, tests, drugs and ends of stays."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sqlglot import exp, select

from wardround.authoring.clinsql.concepts import Concept, Diagnosis, Outcome
from wardround.authoring.clinsql.gold_query.tables import (
    DIALECT,
    RecordTables,
    from_rows,
    key_sql,
    sql,
)
from wardround.authoring.clinsql.specification import CohortSpec, Sex
from wardround.ehr.records import JoinedRows, without_unread
from wardround.ehr.terms.conversions import unit_named

# The system of the item ids of concepts, as record maps name it.
ITEMS = "mimic_item"
# The characters of an ICD code before its dot; E codes of ICD-9 have one more.
_BEFORE_DOT = {"diagnosis": 3, "procedure": 2}
SEXES: Mapping[Sex, str] = {"F": "female", "M": "male"}
VERSIONS = {9: "icd9", 10: "icd10"}


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
    """The texts of the layout for F or M."""
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


def code_predicate(
    coded: Diagnosis | Concept, kind: str, rows: JoinedRows, tables: RecordTables
) -> str:
    """The predicate on records with ICD codes.

    >>> from wardround.authoring.clinsql.gold_query.tables import published_tables
    >>> tables = published_tables()
    >>> sepsis = Diagnosis("sepsis", "", ("038%",), ("A41%",))
    >>> code_predicate(sepsis, "diagnosis", tables.rows("diagnosis"), tables).split(" OR ")[0]
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


def _system_predicate(kind: str, rows: JoinedRows, tables: RecordTables) -> str:
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
    length = _BEFORE_DOT[kind] + code.startswith("E") * (version == 9)
    return code if len(code.rstrip("%")) <= length else f"{code[:length]}.{code[length:]}"


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
    """A concept with the way to find its records: by item ids where they exist, else by names."""
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
    """True if the records of a concept can be distinguished from others of their kind."""
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
        yield _system_predicate(concept.kind, rows, tables)
    if concept.icd9:
        yield code_predicate(concept, concept.kind, rows, tables)
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
