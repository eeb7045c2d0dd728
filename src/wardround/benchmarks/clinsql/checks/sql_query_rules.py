"""Rules for leaves about how a query works: tables, joins, measures, groups, rounding."""

from wardround.benchmarks.clinsql.checks.model import AllOf
from wardround.benchmarks.clinsql.checks.sql_checks import (
    Distinct,
    ExcludesNull,
    GroupBy,
    Join,
    Measure,
    Rounding,
    Tables,
)
from wardround.benchmarks.clinsql.checks.sql_leaf import Found, Rule, SqlLeaf, known_columns

_KEYS = frozenset(["subject_id", "hadm_id", "stay_id", "itemid", "icd_code", "icd_version"])
_JOINS = ("join", "joins", "joined", "joining", "links", "linked", "link")
_READS = frozenset(
    [
        "uses",
        "use",
        "table",
        "tables",
        "read",
        "reads",
        "from",
        "references",
        "queries",
        "accesses",
    ]
)
_STATISTICS: dict[str, str] = {
    "mean": "mean",
    "average": "mean",
    "avg": "mean",
    "median": "median",
    "standard deviation": "sd",
    "stddev": "sd",
    "iqr": "iqr",
    "interquartile range": "iqr",
    "minimum": "min",
    "maximum": "max",
    "total": "sum",
    "sum": "sum",
}
_PLURALS = {
    "patients": "subject_id",
    "subjects": "subject_id",
    "admissions": "hadm_id",
    "hospitalizations": "hadm_id",
    "stays": "stay_id",
}


def join(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Tables that are joined, and the keys."""
    if not leaf.says(*_JOINS) or len(leaf.tables()) < 2:
        return None
    keys = tuple(sorted(_KEYS & leaf.words))
    return Found(Join(tables=leaf.tables(), keys=keys), leaf.at((*leaf.tables(), *keys)))


def tables(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Tables that are read, where the sentence asks for nothing else."""
    found = leaf.tables()
    if kinds or not found or not leaf.words & _READS:
        return None
    return Found(Tables(names=found), leaf.at(found))


def measure(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """A statistic or a duration."""
    if kinds or leaf.words & {"score", "rank", "ratio", "index", "change"}:
        return None
    statistics = {name for phrase, name in _STATISTICS.items() if leaf.says(phrase)}
    percentiles = [float(text[:-2]) for text in _percentiles(leaf)]
    stay = leaf.says("length of stay", "los", "lengths of stay")
    name = "length_of_stay" if stay else ("duration" if leaf.says("duration") else "value")
    kinds_of_statistic = len(statistics) + bool(percentiles)
    if kinds_of_statistic > 1 or (name == "value" and not kinds_of_statistic):
        return None
    base = Measure(
        name=name,
        statistic="percentile" if percentiles else "".join(statistics),
        unit="".join(sorted(leaf.words & {"hours", "days"})) if name != "value" else "",
        columns=leaf.columns(),
    )
    arguments: list[float | None] = [*percentiles] or [None]
    measures = tuple(base.model_copy(update={"argument": at}) for at in arguments)
    check = AllOf(checks=measures) if len(measures) > 1 else measures[0]
    return Found(check, leaf.at(leaf.columns()))


def _percentiles(leaf: SqlLeaf) -> list[str]:
    """The ordinals before the word percentile: "25th, 50th and 75th percentile"."""
    texts = [token.text for token in leaf.tokens]
    named = [at for at, text in enumerate(texts) if text in ("percentile", "percentiles")]
    found: list[str] = []
    for at in named:
        while at and (texts[at - 1] in (",", "and") or texts[at - 1][:-2].isdigit()):
            at -= 1
            found += [texts[at]] if texts[at][:-2].isdigit() else []
    return sorted(found)


def group_by(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """The columns behind "group by"."""
    texts = [token.text.lower() for token in leaf.tokens]
    starts = [
        at
        for at, text in enumerate(texts[:-1])
        if text in ("group", "groups", "grouped", "grouping") and texts[at + 1] == "by"
    ]
    if not starts:
        return None
    columns = [text for text in texts[starts[0] + 2 :] if text in known_columns()]
    if not columns:
        return None
    return Found(GroupBy(columns=tuple(sorted(set(columns)))), leaf.at(columns))


def rounding(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """A number of places."""
    numbers = [at for at, token in enumerate(leaf.tokens) if token.is_number and at not in used]
    if not leaf.words & {"round", "rounds", "rounded", "rounding"} or len(numbers) != 1:
        return None
    return Found(Rounding(digits=int(leaf.tokens[numbers[0]].number or 0)), frozenset(numbers))


def distinct(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Reads the column whose distinct values are counted."""
    if not leaf.words & {"distinct", "unique"}:
        return None
    keys = leaf.words & _KEYS or {_PLURALS[word] for word in leaf.words & _PLURALS.keys()}
    return Found(Distinct(column=next(iter(keys))), leaf.at(_KEYS)) if len(keys) == 1 else None


def excludes_null(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """A column whose NULLs are left out."""
    excluded = leaf.says("is not null", "not null", "non - null") or leaf.words & {
        "excludes",
        "excluded",
        "excluding",
        "removed",
        "removes",
        "ignored",
    }
    if not leaf.words & {"null", "nulls"} or not excluded or len(leaf.columns()) != 1:
        return None
    [column] = leaf.columns()
    return Found(ExcludesNull(column=column), leaf.at({column}))


STRUCTURE_RULES: tuple[Rule, ...] = (
    join,
    group_by,
    rounding,
    distinct,
    excludes_null,
    measure,
    tables,
)
