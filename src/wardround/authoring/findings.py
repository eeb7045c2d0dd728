"""What a maker left out, and why: findings, and one table of them."""

from collections.abc import Iterable
from dataclasses import dataclass

from wardround.core.benchmark import Table

# Items that the table names for each reason.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a task, template or wording, for which it was left out.

    Attributes:
        item: Its id.
        check: The check that it fails.
        part: The part of it in question, such as an ambiguity's term; "" for all of it.
        problem: What is wrong.
        count: How many were left out.
    """

    item: str
    check: str
    part: str = ""
    problem: str = ""
    count: int = 1

    def __str__(self) -> str:
        part = f"{self.part!r}: " if self.part else ""
        return f"{self.item}: {self.check}: {part}{self.problem}".removesuffix(": ")


def left_out(findings: Iterable[Finding]) -> Table:
    """A table of how many were left out by each check, and of which items.

    >>> found = [Finding("a", "form"), Finding("a", "form"), Finding("b", "records", count=3)]
    >>> left_out(found).rows
    (('form', 2, 'a'), ('records', 3, 'b'))
    """
    by_check: dict[str, list[Finding]] = {}
    for finding in findings:
        by_check.setdefault(finding.check, []).append(finding)
    rows = ((name, sum(f.count for f in found), _names(found)) for name, found in by_check.items())
    return Table("Left out", ("reason", "count", "of"), tuple(rows))


def _names(findings: Iterable[Finding]) -> str:
    names = list(dict.fromkeys(finding.item for finding in findings))
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])
