"""Findings: reasons why makers leave tasks or wordings out, and their table."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from wardround.core.benchmark import Table

# Number of items named in the table for each reason.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason why tasks, questions or wordings were left out.

    Attributes:
        item: the id of the task or template.
        check: the name of the failed check.
        part: the part of the item, such as an ambiguity's term; "" for all of it.
        problem: the reason in words.
        count: the number of items left out.
        kind: the kind of items: "task", "question", "wording" or "template".
    """

    item: str
    check: str
    part: str = ""
    problem: str = ""
    count: int = 1
    kind: str = "task"

    def __str__(self) -> str:
        part = f"{self.part!r}: " if self.part else ""
        return f"{self.item}: {self.check}: {part}{self.problem}".removesuffix(": ")


def left_out(findings: Iterable[Finding]) -> dict[str, Table]:
    """Makes a table of the number of items left out, by kind and check; {} if there are none.

    >>> wordings = [Finding("a", "form", kind="wording"), Finding("b", "form", kind="wording")]
    >>> left_out([*wordings, Finding("c", "gold", count=3)])["left_out"].rows
    (('wording', 'form', 2, 'a, b'), ('task', 'gold', 3, 'c (3)'))
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.kind, finding.check), []).append(finding)
    rows = tuple(
        (kind, check, sum(finding.count for finding in group), _names(group))
        for (kind, check), group in groups.items()
    )
    table = Table("Left out", ("kind", "reason", "count", "of"), rows)
    return {"left_out": table} if rows else {}


def _names(findings: Iterable[Finding]) -> str:
    """The first few items, each with its count if that is not 1."""
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.item] += finding.count
    names = [item if count == 1 else f"{item} ({count:,})" for item, count in counts.items()]
    more = [f"{len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join([*names[:_NAMED], *more])
