"""Rules for leaves about how a query works: tables, joins, measures, groups, rounding."""

from wardround.benchmarks.clinsql.checks.model import (
    Distinct,
    ExcludesNull,
    GroupBy,
    Join,
    Measure,
    Rounding,
    Tables,
)
from wardround.benchmarks.clinsql.checks.sql_leaf import Found, SqlLeaf, known_columns
from wardround.benchmarks.clinsql.checks.sql_selection_rules import Rule

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
    percentiles = [at for at in range(len(leaf.tokens)) if _is_percentile(leaf, at)]
    stay = leaf.says("length of stay", "los", "lengths of stay")
    name = "length_of_stay" if stay else ("duration" if leaf.says("duration") else "value")
    if len(statistics) + len(percentiles) > 1 or (
        name == "value" and not statistics and not percentiles
    ):
        return None
    columns = leaf.columns()
    check = Measure(
        name=name,
        statistic="percentile" if percentiles else "".join(statistics),
        argument=_ordinal(leaf, percentiles[0]) if percentiles else None,
        unit="".join(sorted(leaf.words & {"hours", "days"})) if name != "value" else "",
        columns=columns,
    )
    return Found(check, leaf.at(columns))


def _is_percentile(leaf: SqlLeaf, at: int) -> bool:
    after = leaf.tokens[at + 1].text if at + 1 < len(leaf.tokens) else ""
    return leaf.tokens[at].text[:-2].isdigit() and after == "percentile"


def _ordinal(leaf: SqlLeaf, at: int) -> float:
    return float(leaf.tokens[at].text[:-2])


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
    """What is counted once."""
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
