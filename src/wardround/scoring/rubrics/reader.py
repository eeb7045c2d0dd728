"""Reads rubric trees in the published JSON form, and writes them."""

from dataclasses import dataclass
from typing import Any

from wardround.core.errors import UserError
from wardround.scoring.rubrics.tree import MOST_LEVELS, RubricNode


@dataclass(frozen=True, slots=True)
class RubricProblem:
    """A fault of a rubric.

    Attributes:
        node: The node's id, or its generated id.
        fault: The fault in a few words.
        fatal: True if scores depend on the interpretation of the fault.
    """

    node: str
    fault: str
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class ReadRubric:
    """A rubric with the faults found while reading it."""

    root: RubricNode
    problems: tuple[RubricProblem, ...] = ()


def read_rubric(content: Any) -> ReadRubric:
    """Read a rubric from its JSON value.

    A node without an id is named for its parent and position. Missing flags are false, a missing
    weight is 1, and fractional weights are truncated, as in the published code.

    Raises:
        UserError: The value is not a tree of JSON objects, or has too many levels.

    >>> read_rubric({"id": "root", "sub_tasks": [{"requirements": "One row."}]}).root.children[0].id
    'root/1'
    """
    problems: list[RubricProblem] = []
    root = _node(content, "", 1, 1, problems)
    return ReadRubric(root, tuple(problems))


def rubric_json(node: RubricNode) -> dict[str, Any]:
    """A node in the published form; the inverse of `read_rubric` for a sound tree."""
    flags = {"sequential": node.sequential, "critical": node.critical}
    written = {"id": node.id, "requirements": node.requirement, "weight": node.weight, **flags}
    if node.scoring:
        written["scoring"] = node.scoring
    return {**written, "sub_tasks": [rubric_json(child) for child in node.children]}


def _node(
    content: Any, parent: str, position: int, level: int, problems: list[RubricProblem]
) -> RubricNode:
    where = f"{parent}/{position}" if parent else "root"
    if not isinstance(content, dict):
        raise UserError(f"The rubric node {where} is not a JSON object; fix the file.")
    if level > MOST_LEVELS:
        raise UserError(f"The rubric has more than {MOST_LEVELS} levels at {where}; flatten it.")
    id = _text(content.get("id")) or where
    if id == where:
        problems.append(RubricProblem(where, "it has no id"))
    children = content.get("sub_tasks")
    children = [] if children is None else children
    if not isinstance(children, list):
        raise UserError(f"The rubric node {id} has sub_tasks that are not a list; fix the file.")
    return RubricNode(
        id=id,
        requirement=_text(content.get("requirements")),
        weight=_weight(content.get("weight", 1), id, problems),
        sequential=content.get("sequential") is True,
        critical=content.get("critical") is True,
        scoring=_scoring(content.get("scoring"), id, problems),
        children=tuple(
            _node(child, id, number, level + 1, problems)
            for number, child in enumerate(children, start=1)
        ),
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _weight(value: Any, id: str, problems: list[RubricProblem]) -> int:
    try:
        weight = int(value)
    except (TypeError, ValueError, OverflowError):
        problems.append(RubricProblem(id, f"its weight {value!r} is not a number, 1 is used", True))
        return 1
    if weight < 0:
        problems.append(RubricProblem(id, f"its weight {weight} is negative, 0 is used", True))
    return max(weight, 0)


def _scoring(value: Any, id: str, problems: list[RubricProblem]) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    problems.append(RubricProblem(id, "its scoring is not text; no rule reads it"))
    return ""
