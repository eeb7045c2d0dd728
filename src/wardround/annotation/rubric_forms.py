"""Rubrics as forms: a tree to fields of a form, and back, with its faults and scores."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from starlette.datastructures import FormData

from wardround.annotation.store import AnnotationStore
from wardround.annotation.views import ItemView, RubricPreview
from wardround.core.errors import UserError
from wardround.scoring.rubrics.edits import (
    Place,
    add_node,
    delete_node,
    duplicate_node,
    indent_node,
    move_node,
    outdent_node,
)
from wardround.scoring.rubrics.lint import rubric_problems
from wardround.scoring.rubrics.reader import RubricProblem, read_rubric, rubric_json
from wardround.scoring.rubrics.tree import RubricNode

_EMPTY = RubricNode("root", "Rubric")


@dataclass(frozen=True, slots=True)
class RubricView:
    """A rubric to show.

    Attributes:
        root: The tree; None if its text is not a rubric.
        faults: The faults of the text or the tree.
        met: Ids of the leaves that the preview counts as met.
        ran: True if the preview takes the query to give rows.
    """

    root: RubricNode | None
    faults: tuple[RubricProblem, ...] = ()
    previews: tuple[RubricPreview, ...] = ()
    met: frozenset[str] = frozenset()
    ran: bool = True


def rubric_view(
    store: AnnotationStore,
    item: ItemView,
    name: str,
    met: frozenset[str] | None = None,
    *,
    ran: bool = True,
) -> RubricView:
    """A rubric with its faults and scores; without verdicts, every leaf is met."""
    text = item.fields[name].text
    if not text.strip():
        return RubricView(_EMPTY)
    try:
        read = read_rubric(json.loads(text))
    except (UserError, ValueError, RecursionError) as error:
        return RubricView(None, (RubricProblem("file", f"it is not a rubric: {error}", True),))
    counted = frozenset(leaf.id for leaf in read.root.leaves()) if met is None else met
    faults = (*read.problems, *rubric_problems(read.root))
    previews = tuple(store.preview(name, text, counted, ran))
    return RubricView(read.root, faults, previews, counted, ran)


def rubric_of(form: FormData) -> RubricNode:
    """The tree that a form holds: a field `node` for each place, and its values under the place.

    Raises:
        UserError: The form holds no tree.
    """
    places = [str(path) for path in form.getlist("node")]
    below: dict[str, list[str]] = {}
    for path in places:
        if path:
            below.setdefault(path.rpartition(".")[0], []).append(path)
    if "" not in places:
        raise UserError("The form holds no rubric; load the page again.")
    return _node(form, "", below)


def edited(root: RubricNode, action: str) -> RubricNode:
    """The tree after a button was pressed: an action and a place, such as "add 0.2".

    Raises:
        UserError: There is no such action or place.

    >>> edited(RubricNode("root"), "add ").children[0].id
    'node-1'
    """
    verb, _, where = action.partition(" ")
    path: Place = tuple(int(each) for each in where.split(".") if each.isdecimal())
    if verb == "add":
        return add_node(root, path)
    if verb == "delete":
        return delete_node(root, path)
    if verb == "duplicate":
        return duplicate_node(root, path)
    if verb == "in":
        return indent_node(root, path)
    if verb == "out":
        return outdent_node(root, path)
    if verb in ("up", "down"):
        return move_node(root, path, 1 if verb == "down" else -1)
    return root


def rubric_text(root: RubricNode) -> str:
    """A tree as JSON text in the published form."""
    return json.dumps(rubric_json(root), indent=2, ensure_ascii=False)


def same_rubric(root: RubricNode, text: str) -> bool:
    """True if a text holds the same tree."""
    try:
        return read_rubric(json.loads(text)).root == root
    except (UserError, ValueError, RecursionError):
        return False


def places(root: RubricNode) -> Iterator[tuple[str, RubricNode]]:
    """The nodes of a tree by place, parents first.

    >>> [place for place, _ in places(RubricNode("r", children=(RubricNode("a"),)))]
    ['', '0']
    """
    yield "", root
    for position, child in enumerate(root.children):
        for path, node in places(child):
            yield f"{position}.{path}".rstrip("."), node


def _node(form: FormData, path: str, below: Mapping[str, list[str]]) -> RubricNode:
    def text(name: str) -> str:
        value = form.get(f"{name}.{path}", "")
        return value.strip() if isinstance(value, str) else ""

    weight = text("weight")
    return RubricNode(
        id=text("id"),
        requirement=" ".join(text("requirement").split()),
        weight=int(weight) if weight.isdecimal() else 1,
        sequential=f"sequential.{path}" in form,
        critical=f"critical.{path}" in form,
        scoring=text("scoring"),
        children=tuple(_node(form, each, below) for each in below.get(path, ())),
    )
