import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import ToolError
from wardround.ehr.knowledge import (
    KnowledgeBase,
    KnowledgeEntry,
    all_knowledge,
    chain_nodes,
    knowledge_named,
    knowledge_names,
    topological_order,
    with_dependencies,
)


def base_of(**children: str) -> KnowledgeBase:
    """A base of entries named by letters, ids by place in the alphabet: `base_of(a="bc", …)`."""
    result = {
        ord(name): KnowledgeEntry(ord(name), name, "", "", children=tuple(map(ord, below)))
        for name, below in children.items()
    }
    return KnowledgeBase(result)


def letters(ids: tuple[int, ...]) -> str:
    return "".join(map(chr, ids))


CARE = base_of(u="a", a="ic", i="", c="n", n="", l="c", z="")


def test_dependencies_precede_their_entry() -> None:
    assert letters(with_dependencies(CARE, [ord("u")])) in {"incau", "niacu", "nciau", "nicau"}
    assert letters(with_dependencies(CARE, [ord("z"), 1000])) == "z"


def test_chain_nodes_have_a_dependency_and_a_dependent() -> None:
    assert letters(chain_nodes(CARE)) == "ac"


def test_masked_entries_are_invisible() -> None:
    masked = CARE.without([ord("a")])
    assert knowledge_names(masked) == ["u", "i", "c", "n", "l", "z"]
    assert knowledge_named(masked, "U")["id"] == ord("u")
    assert not any(chr(ord("a")) in str(entry["knowledge"]) for entry in all_knowledge(masked))
    assert _refusal(masked, "a").replace("'a'", "'never'") == _refusal(masked, "never")
    assert letters(with_dependencies(masked, [ord("u")])) == "u"


def _refusal(base: KnowledgeBase, name: str) -> str:
    with pytest.raises(ToolError) as error:
        knowledge_named(base, name)
    return str(error.value)


def test_dependencies_are_not_public() -> None:
    assert set(knowledge_named(CARE, "u")) == {"id", "knowledge", "description", "definition"}


@st.composite
def graphs(draw: st.DrawFn) -> KnowledgeBase:
    size = draw(st.integers(1, 8))
    entries = [
        KnowledgeEntry(
            id, f"e{id}", "", "", children=tuple(sorted(draw(st.sets(st.integers(0, id - 1)))))
        )
        if id
        else KnowledgeEntry(0, "e0", "", "")
        for id in range(size)
    ]
    return KnowledgeBase({entry.id: entry for entry in draw(st.permutations(entries))})


@given(graphs())
def test_graph_functions_agree(base: KnowledgeBase) -> None:
    order = topological_order(base)
    assert sorted(order) == sorted(base.entries)
    for entry in base:
        assert all(order.index(child) < order.index(entry.id) for child in entry.children)
        below = {id for child in entry.children for id in with_dependencies(base, [child])}
        assert set(with_dependencies(base, [entry.id])) == below | {entry.id}
    children = {child for entry in base for child in entry.children}
    assert set(chain_nodes(base)) == {entry.id for entry in base if entry.children} & children
