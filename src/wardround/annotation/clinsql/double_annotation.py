"""Agreement of two annotators who worked on one question apart (Shen et al. 2026, L, Table 14)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from wardround.benchmarks.clinsql.items.result_files import CsvTable
from wardround.scoring.results import same_table
from wardround.scoring.rubrics.tree import RubricNode

Agreement: TypeAlias = Literal["identical", "near", "distinct"]
LeafClass: TypeAlias = Literal["absent", "present", "critical"]
# Numbers that differ by at most this share are a near miss.
NEAR = 0.01
# Requirements at least this similar are one leaf, of 100.
_SAME_LEAF = 80.0


def result_agreement(first: CsvTable, second: CsvTable) -> Agreement:
    """Compares two results in any order of rows and columns; names of columns do not count.

    >>> a = CsvTable(("n", "mean"), (("10", "4.5"),))
    >>> result_agreement(a, CsvTable(("mean", "patients"), (("4.5", "10"),)))
    'identical'
    >>> result_agreement(a, CsvTable(("n", "mean"), (("10", "4.51"),)))
    'near'
    """
    if same_table(first.rows, second.rows):
        return "identical"
    return "near" if _is_near(first, second) else "distinct"


def leaf_pairs(first: RubricNode, second: RubricNode) -> list[tuple[LeafClass, LeafClass]]:
    """The class of each leaf of either rubric for both annotators.

    Leaves are the same if they share their id, or if their requirements are the most similar of
    those left.

    >>> leaf = RubricNode("a", "Only women.", critical=True)
    >>> other = RubricNode("b", "Only women.")
    >>> leaf_pairs(RubricNode("r", children=(leaf,)), RubricNode("r", children=(other,)))
    [('critical', 'present')]
    """
    left = list(second.leaves())
    pairs: list[tuple[LeafClass, LeafClass]] = []
    for leaf in first.leaves():
        match = _match(leaf, left)
        if match is not None:
            left.remove(match)
        pairs.append((_class(leaf), _class(match)))
    return pairs + [("absent", _class(leaf)) for leaf in left]


def agree_on_critical(pairs: Iterable[tuple[LeafClass, LeafClass]]) -> bool:
    """True if every leaf that is critical in one of two rubrics is critical in both.

    Aggregated critical first, only such a leaf makes an item fail (L).

    >>> agree_on_critical([("critical", "critical"), ("present", "absent")])
    True
    >>> agree_on_critical([("critical", "present")])
    False
    """
    return all(first == second for first, second in pairs if "critical" in (first, second))


def raw_agreement(pairs: Sequence[tuple[str, str]]) -> float | None:
    """The share of equal pairs; None without pairs."""
    return sum(a == b for a, b in pairs) / len(pairs) if pairs else None


def kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa; None without pairs, or if chance alone agrees always.

    >>> kappa([("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")])
    0.5
    """
    observed = raw_agreement(pairs)
    if observed is None:
        return None
    firsts, seconds = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(firsts[name] * seconds[name] for name in firsts) / len(pairs) ** 2
    return None if chance == 1 else (observed - chance) / (1 - chance)


def _match(leaf: RubricNode, left: Iterable[RubricNode]) -> RubricNode | None:
    from rapidfuzz.fuzz import token_sort_ratio

    unmatched = list(left)
    same = next((each for each in unmatched if each.id == leaf.id), None)
    if same is not None or not unmatched:
        return same
    best = max(unmatched, key=lambda each: token_sort_ratio(each.requirement, leaf.requirement))
    return best if token_sort_ratio(best.requirement, leaf.requirement) >= _SAME_LEAF else None


def _class(leaf: RubricNode | None) -> LeafClass:
    if leaf is None:
        return "absent"
    return "critical" if leaf.critical else "present"


def _is_near(first: CsvTable, second: CsvTable) -> bool:
    """True if rows and columns, each sorted, differ in numbers only, and by little."""
    if len(first.rows) != len(second.rows) or len(first.columns) != len(second.columns):
        return False
    pairs = zip(_sorted_columns(first), _sorted_columns(second), strict=True)
    return all(_close(a, b) for one, other in pairs for a, b in zip(one, other, strict=True))


def _sorted_columns(table: CsvTable) -> list[list[str]]:
    columns = zip(*([cell or "" for cell in row] for row in table.rows), strict=True)
    return sorted(
        (sorted(column, key=_order) for column in columns), key=lambda c: [*map(_order, c)]
    )


def _order(cell: str) -> tuple[float, str]:
    number = _number(cell)
    return (0.0, cell) if number is None else (number, "")


def _close(first: str, second: str) -> bool:
    a, b = _number(first), _number(second)
    if a is None or b is None:
        return first == second
    return abs(a - b) <= NEAR * max(abs(a), abs(b))


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None
