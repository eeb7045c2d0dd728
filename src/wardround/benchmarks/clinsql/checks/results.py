"""Decides checks on a result, without a model and without a database."""

from itertools import pairwise

from wardround.benchmarks.clinsql.checks.column_facts import ColumnFacts, ResultFacts
from wardround.benchmarks.clinsql.checks.columns import find_column, is_missing
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    ColumnExists,
    FileExists,
    InRange,
    LeafCheck,
    NotNull,
    Ordered,
    Percentage,
    ResultsCheck,
    Types,
    WholeCount,
)
from wardround.benchmarks.clinsql.items.result_files import PLACEHOLDER
from wardround.benchmarks.kit.checks import Finding, all_of, finding

NO_RESULT = "the result has no row"
MOST_COLUMNS = 100  # published golds have at most 18


def decide_results(check: LeafCheck, result: ResultFacts, gold: ResultFacts) -> Finding:
    """Decides one check; undecided where it is not about results or its column is unsure.

    >>> facts = ResultFacts(("n",), [("12",)])
    >>> decide_results(InRange(column=Column(names=("n",)), low=1, high=9), facts, facts)
    Finding(state='failed', reason='n holds 12 to 12, outside 1 to 9')
    """
    if isinstance(check, AllOf):
        return all_of(decide_results(part, result, gold) for part in check.checks)
    if not isinstance(check, ResultsCheck):
        return Finding("undecided", "it is not a check of results")
    if not result.rows or _is_placeholder(result):
        return Finding("failed", NO_RESULT)
    if len(result.columns) > MOST_COLUMNS:
        return Finding("failed", f"the result has {len(result.columns)} columns")
    match check:
        case FileExists():
            return Finding("passed")
        case ColumnExists():
            return _exists(check.column, result, gold)
        case NotNull(column=None):
            return _filled(result, range(len(result.columns)))
        case Types(column=None):
            facts = [result.column(at) for at in range(len(result.columns))]
            return finding(all(_is_type(check, each) for each in facts), "a column of another type")
        case Ordered():
            return _ordered(check, result, gold)
        case _:
            return _of_column(check, result, gold)


def decide_beside_gold(check: LeafCheck, result: ResultFacts, gold: ResultFacts) -> Finding:
    """Decides one check; a check that the gold itself does not pass decides nothing."""
    finding = decide_results(check, result, gold)
    if finding.state != "failed" or not result.rows:
        return finding
    if decide_results(check, gold, gold).state == "passed":
        return finding
    return Finding("undecided", f"{finding.reason}; the gold does not meet the check either")


def _is_placeholder(result: ResultFacts) -> bool:
    """True for the table that stands for no result in the published form."""
    return result.columns == PLACEHOLDER.columns and len(result.rows) == 1 and result.is_empty


def _exists(column: Column, result: ResultFacts, gold: ResultFacts) -> Finding:
    match = find_column(column, result, gold)
    if match and match.how != "place":
        name = result.columns[match.at]
        return Finding("passed", "" if match.how == "name" else f"{name} means it")
    if is_missing(column, result, gold):
        return Finding("failed", f"no column is or means {_shown(column)}")
    return Finding("undecided", f"no column is surely {_shown(column)}")


def _filled(result: ResultFacts, places: range | list[int]) -> Finding:
    empty = [result.columns[at] for at in places if result.column(at).empty]
    return finding(not empty, f"{', '.join(empty)} has empty cells")


def _of_column(check: ResultsCheck, result: ResultFacts, gold: ResultFacts) -> Finding:
    """Decides a check of one column's cells."""
    if isinstance(check, (FileExists, Ordered)) or check.column is None:
        return Finding("undecided", "it is about no column")
    match = find_column(check.column, result, gold)
    if match is None:
        missing = is_missing(check.column, result, gold)
        reason = f"no column is {'' if missing else 'surely '}{_shown(check.column)}"
        return Finding("failed" if missing else "undecided", reason)
    facts, name = result.column(match.at), result.columns[match.at]
    if isinstance(check, NotNull):
        return _filled(result, [match.at])
    if isinstance(check, Types):
        return finding(_is_type(check, facts), f"{name} holds {facts.type}")
    if not facts.is_numeric:
        return Finding("failed", f"{name} holds {facts.type}, no numbers")
    if facts.empty and not _gold_has_gaps(check.column, gold):
        return Finding("failed", f"{name} has empty cells")
    return _numbers(check, facts, name)


def _numbers(check: ResultsCheck, facts: ColumnFacts, name: str) -> Finding:
    low, high = facts.low or 0.0, facts.high or 0.0
    extent = f"{name} holds {low:g} to {high:g}"
    match check:
        case InRange():
            wide = f"{_bound(check.low)} to {_bound(check.high)}"
            return finding(_within(check, low, high), f"{extent}, outside {wide}")
        case WholeCount():
            whole = facts.type == "integer" and low >= check.least
            return finding(whole, f"{extent}, not whole numbers from {check.least} on")
        case Percentage():
            top = 1 if check.fraction else 100
            return finding(low >= 0 and high <= top, f"{extent}, outside 0 to {top}")
        case _:
            return Finding("undecided", "it is not a check of numbers")


def _within(check: InRange, low: float, high: float) -> bool:
    above = check.low is None or low > check.low or (low == check.low and not check.low_open)
    below = check.high is None or high < check.high or (high == check.high and not check.high_open)
    return above and below


def _ordered(check: Ordered, result: ResultFacts, gold: ResultFacts) -> Finding:
    matches = [find_column(column, result, gold) for column in check.columns]
    places = [match.at for match in matches if match]
    if len(set(places)) < len(check.columns):
        return Finding("undecided", "not all of its columns are sure")
    if not all(result.column(at).is_numeric for at in places):
        return Finding("failed", "a column of the order holds no numbers")
    if any(result.column(at).empty for at in places):
        return Finding("failed", "a column of the order has empty cells")
    columns = [result.numbers(at) for at in places]
    rising = all(bool((a <= b).all()) for a, b in pairwise(columns))
    names = " <= ".join(result.columns[at] for at in places)
    return finding(rising, f"not in every row {names}")


def _is_type(check: Types, facts: ColumnFacts) -> bool:
    if facts.type == "empty":
        return False
    return facts.type == check.type or (check.type == "number" and facts.type == "integer")


def _gold_has_gaps(column: Column, gold: ResultFacts) -> bool:
    match = find_column(column, gold, gold)
    return match is not None and gold.column(match.at).empty > 0


def _bound(bound: float | None) -> str:
    return "any" if bound is None else f"{bound:g}"


def _shown(column: Column) -> str:
    return column.names[0] if column.names else column.meaning or f"column {column.position}"
