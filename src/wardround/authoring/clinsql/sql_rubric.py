"""The rubric of a query: cohort, medical concepts, tables and analytics, each leaf with a check."""

from collections.abc import Iterator

from sqlglot import exp

from wardround.authoring.clinsql.concepts import Concept
from wardround.authoring.clinsql.gold_query.query import query_text
from wardround.authoring.clinsql.gold_query.stages import BY_STAY, stay_ends
from wardround.authoring.clinsql.gold_query.tables import (
    RecordTables,
)
from wardround.authoring.clinsql.leaves import Group, Leaf
from wardround.authoring.clinsql.mapping_record import (
    column_name,
    drugs,
    reads_outcome,
    record_tables,
)
from wardround.authoring.clinsql.specification import RANKED, QuestionSpec
from wardround.benchmarks.clinsql.checks.queries.facts import QueryFacts, query_facts
from wardround.benchmarks.clinsql.items import checks
from wardround.benchmarks.clinsql.items.checks import AllOf

# The columns that end a length, by its measure.
_ENDS = {"length_of_stay": {"dischtime", "outtime"}, "duration": {"stoptime"}}
_REQUIREMENTS = {
    "length_of_stay": (
        "It computes the length of a stay in days with their hours, from its beginning and end."
    ),
    "duration": (
        "It computes the duration of a prescription in days with their hours, from its beginning"
        " and end."
    ),
}

_SEX = {"F": "female", "M": "male"}


def sql_rubric(spec: QuestionSpec, tables: RecordTables) -> Group:
    """The tree; weights below the root as most published items have them."""
    groups = [
        Group("patient-cohort-construction", "The cohort", list(_cohort(spec, tables)), 3),
        Group(
            "medical-concept-implementation",
            "The medical concepts",
            list(_concepts(spec, tables)),
            3,
        ),
        Group("database-integration", "Tables and joins", list(_tables(spec, tables)), 2),
        Group("clinical-analytics", "The measures", list(_analytics(spec, tables)), 2),
    ]
    return Group("sql-query-evaluation-root", "Evaluation of the SQL query", groups)


def _cohort(spec: QuestionSpec, tables: RecordTables) -> Iterator[Leaf]:
    cohort = spec.cohort
    if cohort.sex and tables.is_published:
        text = f"The query keeps {_SEX[cohort.sex]} patients only (gender = '{cohort.sex}')."
        yield Leaf("gender-filter", text, checks.Sex(value=cohort.sex), critical=True)
    if cohort.ages and tables.is_published:
        low, high = cohort.ages
        name = "anchor_age" if cohort.convention == "anchor" else "the age at admission"
        check = checks.Age(low=low, high=high, convention=cohort.convention)
        yield Leaf("age-filter", f"It keeps patients for whom {name} is {low} to {high}.", check)
    text = "The patients or stays that it measures are those that the question describes."
    yield Leaf("cohort-selection", text, checks.Cohort())
    yield from filled_leaves(query_text(spec, tables))


def _concepts(spec: QuestionSpec, tables: RecordTables) -> Iterator[Leaf]:
    concept = spec.concept
    if tables.is_published:
        yield from _selections(spec, tables)
    if concept and concept.has_values:
        low, high = concept.plausible
        column = column_name(concept.kind, "value", tables)
        text = f"It uses values of {column} from {low:g} to {high:g} only."
        yield Leaf("plausible-values", text, checks.ValueBounds(column=column, low=low, high=high))


def _selections(spec: QuestionSpec, tables: RecordTables) -> Iterator[Leaf]:
    """The codes, items and drugs that a query selects, by columns of the published layout."""
    condition, concept = spec.cohort.condition, spec.concept
    if condition:
        for version, patterns in ((9, condition.icd9), (10, condition.icd10)):
            codes = " or ".join(pattern.rstrip("%") for pattern in patterns)
            text = f"It finds {condition.name} by ICD-{version} codes that begin with {codes}."
            check = checks.Codes.model_validate({"version": version, "patterns": patterns})
            yield Leaf(f"diagnosis-codes-icd{version}", text, check, critical=version == 10)
    if concept and concept.items:
        ids = " or ".join(map(str, concept.items))
        table = tables.table_of(concept.kind)
        text = f"It reads {concept.words} from {table} by itemid {ids}."
        yield Leaf("item-ids", text, checks.Items(table=table, ids=concept.items))
    for index, drug in enumerate(drugs(concept)):
        names = " or ".join(pattern.strip("%") for pattern in drug.patterns)
        text = f"It selects prescriptions whose drug contains {names}, in upper or lower case."
        id = "companion-drug-names" if index else "drug-names"
        yield Leaf(id, text, checks.Drugs(patterns=drug.patterns))
    if concept and concept.icd9:
        yield from _procedures(concept, tables)


def _procedures(concept: Concept, tables: RecordTables) -> Iterator[Leaf]:
    for version, patterns in ((9, concept.icd9), (10, concept.icd10)):
        codes = " or ".join(pattern.rstrip("%") for pattern in patterns)
        text = f"It finds {concept.words} by ICD-{version} procedure codes that begin with {codes}."
        check = checks.Codes.model_validate(
            {"table": tables.table_of(concept.kind), "version": version, "patterns": patterns}
        )
        yield Leaf(f"procedure-codes-icd{version}", text, check)


def _tables(spec: QuestionSpec, tables: RecordTables) -> Iterator[Leaf]:
    names = tuple(record_tables(spec, tables))
    text = f"The query reads the tables {', '.join(names)}."
    yield Leaf("required-tables", text, checks.Tables(names=names))
    for kinds, role in _joins(spec):
        key = tables.name(*role)
        first, second = (tables.table_of(kind) for kind in kinds)
        text = f"It joins {first} and {second} on {key}."
        check = checks.Join(tables=(first, second), keys=(key,))
        yield Leaf(f"join-{first}-{second}".replace("_", "-"), text, check)


def _joins(spec: QuestionSpec) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Kinds whose tables are joined, and the key."""
    concept, cohort = spec.concept, spec.cohort
    person, stay = ("patient", "patient"), ("admission", "admission")
    if not spec.is_staged:
        measured = concept.kind if concept else _KINDS.get(spec.statistic, "admission")
        if cohort.convention == "anchor" or measured == "admission":
            yield ("patient", measured), person
        else:
            yield ("patient", "admission"), person
            yield ("admission", measured), stay
        return
    yield ("patient", "admission"), person
    if cohort.condition:
        yield ("admission", "diagnosis"), stay
    if cohort.icu:
        yield ("admission", "icu"), stay
    if spec.statistic == "charlson":
        yield ("admission", "comorbidity"), stay
    if concept and concept.kind in BY_STAY and cohort.icu:
        yield ("icu", concept.kind), ("icu", "stay")
    elif concept and concept.kind != "diagnosis":
        yield ("admission", concept.kind), stay


def _analytics(spec: QuestionSpec, tables: RecordTables) -> Iterator[Leaf]:
    concept = spec.concept
    if spec.hours and tables.is_published:
        start = "icu" if spec.cohort.icu else "admission"
        begin, _ = stay_ends(spec, tables)
        text = f"It uses events of the first {spec.hours} hours after {begin} only."
        check = checks.Window.model_validate({"start": start, "hours": spec.hours})
        yield Leaf("time-window", text, check)
    if spec.is_staged or spec.summary == "patients":
        patient = tables.name("patient", "patient")
        text = f"It counts distinct patients by {patient}."
        yield Leaf("distinct-patients", text, checks.Distinct(column=patient))
    if spec.summary != "patients":
        yield from _measures(spec, concept, tables)
        text = "It rounds its results to 2 decimals."
        yield Leaf("rounding", text, checks.Rounding(digits=2))


def _measures(spec: QuestionSpec, concept: Concept | None, tables: RecordTables) -> Iterator[Leaf]:
    yield from unit_leaves(query_text(spec, tables))
    if spec.statistic == "charlson" and spec.summary != "burden":
        yield _index(spec)
    if spec.statistic in _STATISTICS and concept:
        words, statistic = _STATISTICS[spec.statistic]
        text = f"It computes the {words} of {concept.words}."
        yield Leaf("event-value", text, checks.Measure(statistic=statistic))
    if spec.statistic == "first":
        text = "It takes the first measurement of each stay by charttime."
        yield Leaf("first-event", text, checks.Measure(statistic="first"))
    if spec.summary == "spread":
        text = "It computes the 25th, 50th and 75th percentile."
        parts = tuple(checks.Measure(statistic="percentile", argument=p) for p in (25, 50, 75))
        yield Leaf("percentiles", text, AllOf(checks=parts))
    if spec.is_staged and spec.summary not in ("burden", "distribution"):
        text = "It computes an average over stays."
        yield Leaf("average", text, checks.Measure(statistic="mean"))
    if spec.summary in ("burden", "outcome", "distribution", *RANKED):
        text = "It computes a percentage with the number of stays as its denominator."
        if reads_outcome(spec):
            text = f"{text[:-1]} and stays that ended in {spec.outcome.words} as its numerator."
        yield Leaf("percentage", text, checks.Measure(name="rate"))
        text = "It gives the percentage on a scale from 0 to 100, not as a fraction."
        yield Leaf("percent-scale", text, checks.Measure(name="rate", unit="percent"))
    if spec.summary in RANKED:
        text = "It sorts stays into 4 groups of equal size by rank."
        yield Leaf("quartile-groups", text, checks.Measure(statistic="ntile", argument=4))
        text = "Its groups run from the lowest values to the highest."
        check = checks.Measure(statistic="ntile", argument=4, order="rising")
        yield Leaf("quartile-order", text, check)
        yield _grouping("quartile" if spec.summary == "quartiles" else "top_quarter")
    if spec.summary == "distribution":
        yield _grouping(spec.value)


def _grouping(column: str) -> Leaf:
    text = f"It groups its result by {column.replace('_', ' ')}."
    return Leaf("grouping", text, checks.GroupBy(columns=(column,)))


def _index(spec: QuestionSpec) -> Leaf:
    statistic = "median" if spec.summary == "median" else "mean"
    text = f"It computes the {statistic} of charlson_comorbidity_index."
    check = checks.Measure(statistic=statistic, columns=("charlson_comorbidity_index",))
    return Leaf("charlson-index", text, check)


_KINDS = {"charlson": "comorbidity"}
_STATISTICS = {
    "mean": ("mean", "mean"),
    "lowest": ("minimum", "min"),
    "highest": ("maximum", "max"),
    "count": ("number of records", "count"),
    "performed": ("number of codes", "count"),
    "days": ("total duration", "sum"),
}


def unit_leaves(sql: str) -> Iterator[Leaf]:
    """A leaf on the unit of each length that reaches the result of a gold query."""
    computed = _ends_in_result(query_facts(sql))
    for name, ends in _ENDS.items():
        if computed & ends:
            check = checks.Measure(name=name, unit="days", parts="hours")
            yield Leaf(name.replace("_", "-"), _REQUIREMENTS[name], check)


def filled_leaves(sql: str) -> Iterator[Leaf]:
    """A leaf on each column whose rows without a value a gold query leaves out."""
    for column in _filled_columns(query_facts(sql)):
        text = f"It leaves out stays without a {column}, or they do not change its result."
        yield Leaf(f"has-{column}", text, checks.ExcludesNull(column=column))


def _ends_in_result(facts: QueryFacts) -> set[str]:
    """The columns from which times are counted on the way to the result."""
    lengths = [d for value in facts.output.values() for d in value.find_all(exp.DatetimeDiff)]
    return {column.name for length in lengths for column in length.find_all(exp.Column)}


def _filled_columns(facts: QueryFacts) -> Iterator[str]:
    for condition in facts.filters():
        test = condition.expression
        is_null = test.this if isinstance(test, exp.Not) else None
        if isinstance(is_null, exp.Is) and isinstance(is_null.expression, exp.Null):
            column = is_null.this.unnest()
            yield from [column.name] if isinstance(column, exp.Column) else []
