import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import ToolError
from wardround.ehr.knowledge import (
    Entry,
    KnowledgeBase,
    all_knowledge,
    between,
    in_order,
    knowledge_named,
    knowledge_names,
    needed,
)


def base_of(**children: str) -> KnowledgeBase:
    """A base of entries named by letters, ids by place in the alphabet: `base_of(a="bc", …)`."""
    found = {
        ord(name): Entry(ord(name), name, "", "", children=tuple(map(ord, below)))
        for name, below in children.items()
    }
    return KnowledgeBase(found)


def letters(ids: tuple[int, ...]) -> str:
    return "".join(map(chr, ids))


CARE = base_of(u="a", a="ic", i="", c="n", n="", l="c", z="")


def test_what_an_entry_needs_comes_before_it() -> None:
    assert letters(needed(CARE, [ord("u")])) in {"incau", "niacu", "nciau", "nicau"}
    assert letters(needed(CARE, [ord("z"), 1000])) == "z"


def test_chain_nodes_stand_between_others() -> None:
    assert letters(between(CARE)) == "ac"


def test_a_masked_entry_is_as_if_it_had_never_been() -> None:
    masked = CARE.without([ord("a")])
    assert knowledge_names(masked) == ["u", "i", "c", "n", "l", "z"]
    assert knowledge_named(masked, "U")["id"] == ord("u")
    assert not any(chr(ord("a")) in str(told["knowledge"]) for told in all_knowledge(masked))
    assert _refusal(masked, "a").replace("'a'", "'never'") == _refusal(masked, "never")
    assert letters(needed(masked, [ord("u")])) == "u"


def _refusal(base: KnowledgeBase, name: str) -> str:
    with pytest.raises(ToolError) as error:
        knowledge_named(base, name)
    return str(error.value)


def test_what_an_entry_is_built_on_is_not_told() -> None:
    assert set(knowledge_named(CARE, "u")) == {"id", "knowledge", "description", "definition"}


@st.composite
def graphs(draw: st.DrawFn) -> KnowledgeBase:
    size = draw(st.integers(1, 8))
    entries = [
        Entry(id, f"e{id}", "", "", children=tuple(sorted(draw(st.sets(st.integers(0, id - 1))))))
        if id
        else Entry(0, "e0", "", "")
        for id in range(size)
    ]
    return KnowledgeBase({entry.id: entry for entry in draw(st.permutations(entries))})


@given(graphs())
def test_orders_needs_and_chain_nodes_agree(base: KnowledgeBase) -> None:
    order = in_order(base)
    assert sorted(order) == sorted(base.entries)
    for entry in base:
        assert all(order.index(child) < order.index(entry.id) for child in entry.children)
        below = {id for child in entry.children for id in needed(base, [child])}
        assert set(needed(base, [entry.id])) == below | {entry.id}
    children = {child for entry in base for child in entry.children}
    assert set(between(base)) == {entry.id for entry in base if entry.children} & children
