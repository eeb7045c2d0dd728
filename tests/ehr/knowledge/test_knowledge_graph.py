from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import ToolError
from wardround.ehr.knowledge import (
    Entry,
    KnowledgeBase,
    all_knowledge,
    between,
    chains,
    dependents,
    depths,
    gap,
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


def test_what_is_built_on_an_entry() -> None:
    assert set(letters(dependents(CARE, [ord("c")]))) == set("alu")
    assert dependents(CARE, [ord("z")]) == ()


def test_chains_run_from_the_top_to_the_bottom() -> None:
    assert [letters(chain) for chain in chains(CARE)] == ["uai", "uacn", "lcn"]
    steps = {"u": 3, "a": 2, "i": 0, "c": 1, "n": 0, "l": 2, "z": 0}
    assert depths(CARE) == {ord(name): depth for name, depth in steps.items()}
    assert letters(between(CARE)) == "ac"


@pytest.mark.parametrize(
    ("masked", "undefined", "unreachable"),
    [
        ("a", "u", "i"),  # c is still reached from l
        ("c", "ual", "n"),
        ("ac", "ul", "in"),
        ("z", "", ""),
        ("i", "ua", ""),
        ("ul", "", "aicn"),
        ("", "", ""),
    ],
)
def test_what_a_mask_takes_with_it(masked: str, undefined: str, unreachable: str) -> None:
    found = gap(CARE, {ord(name) for name in masked})
    assert set(letters(found.undefined)) == set(undefined)
    assert set(letters(found.unreachable)) == set(unreachable)
    assert set(letters(found.masked)) == set(masked)


def test_a_mask_of_what_is_not_there_is_refused() -> None:
    with pytest.raises(KeyError):
        gap(CARE, [1000])


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


@given(graphs(), st.data())
def test_orders_chains_and_gaps_agree(base: KnowledgeBase, data: st.DataObject) -> None:
    order = in_order(base)
    assert sorted(order) == sorted(base.entries)
    for entry in base:
        assert all(order.index(child) < order.index(entry.id) for child in entry.children)
    ways = list(chains(base))
    assert len(set(ways)) == len(ways)
    links = {link for way in ways for link in pairwise(way)}
    assert links == {(entry.id, child) for entry in base for child in entry.children}
    assert set(between(base)) == {id for way in ways for id in way[1:-1]}
    assert depths(base) == {
        id: max((len(way) - 1 - way.index(id) for way in ways if id in way), default=0)
        for id in base.entries
    }
    masked = data.draw(st.sets(st.sampled_from(sorted(base.entries))))
    found = gap(base, masked)
    for entry in base.without(masked):
        lost = not masked.isdisjoint(needed(base, [entry.id]))
        assert (entry.id in found.undefined) == lost
        above = [way[: way.index(entry.id)] for way in ways if entry.id in way]
        cut = bool(above) and all(not masked.isdisjoint(way) for way in above)
        assert (entry.id in found.unreachable) == cut
