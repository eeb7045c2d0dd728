"""Rubric trees for property tests."""

from hypothesis import strategies as st

from wardround.scoring.rubrics.tree import RubricNode

_LEAF = st.builds(
    RubricNode,
    id=st.just(""),
    requirement=st.just("It holds."),
    weight=st.integers(0, 3),
    sequential=st.booleans(),
    critical=st.booleans(),
)


def _group(children: st.SearchStrategy[RubricNode]) -> st.SearchStrategy[RubricNode]:
    return st.builds(
        RubricNode,
        id=st.just(""),
        requirement=st.just("Group"),
        weight=st.integers(0, 3),
        sequential=st.booleans(),
        critical=st.booleans(),
        children=st.lists(children, min_size=1, max_size=4).map(tuple),
    )


def numbered(node: RubricNode, id: str = "r") -> RubricNode:
    """The tree with an id of its own for each node."""
    children = tuple(numbered(c, f"{id}.{i}") for i, c in enumerate(node.children))
    return RubricNode(
        id, node.requirement, node.weight, node.sequential, node.critical, node.scoring, children
    )


rubrics = st.recursive(_LEAF, _group, max_leaves=8).map(numbered)
