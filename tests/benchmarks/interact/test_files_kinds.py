from collections import Counter
from pathlib import Path

import pytest

from wardround.benchmarks.interact.kinds import (
    ambiguity_kind,
    bare,
    follow_up_kind,
    kinds,
    names,
    published,
)
from wardround.benchmarks.interact.knowledge_gaps import with_gaps_named
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    Subtask,
    interact_task,
)
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry
from wardround.people.clarifying.model import Ambiguity

WORDS = [
    line.split("\t")
    for line in (Path(__file__).parent / "words.tsv").read_text("utf-8").splitlines()[2:]
]


@pytest.mark.parametrize(("family", "written", "ours"), WORDS)
def test_words_of_files(family: str, written: str, ours: str) -> None:
    assert (follow_up_kind if family == "follow-up" else ambiguity_kind)(written) == ours


def test_the_paper_s_types_are_there() -> None:
    assert Counter(kind.family for kind in kinds()) == {
        "intent": 6,
        "implementation": 7,
        "knowledge": 2,
        "environment": 1,
        "follow-up": 6,
    }


def test_no_word_means_two_types_and_all_are_read_back() -> None:
    for follow_up in (False, True):
        group = [kind for kind in kinds() if (kind.family == "follow-up") == follow_up]
        words = [{bare(kind.name), bare(kind.published), *kind.also} for kind in group]
        assert sum(map(len, words)) == len(set().union(*words))
        assert all(bare(word) == word for some in words for word in some)
        read = follow_up_kind if follow_up else ambiguity_kind
        assert all(read(published(kind.name)) == kind.name for kind in group)


def entry(id: int, *children: int) -> KnowledgeEntry:
    return KnowledgeEntry(id, f"e{id}", "", "", children=children)


BASE = KnowledgeBase({e.id: e for e in (entry(1, 2), entry(2, 3), entry(3), entry(4, 2))})


@pytest.mark.parametrize(
    ("masked", "knowledge", "written", "kind"),
    [
        (2, (), "knowledge_ambiguity", "chain"),
        (2, (1,), "knowledge_ambiguity", "chain"),
        (2, (2, 3), "knowledge_ambiguity", "one-shot"),
        (3, (1,), "knowledge_ambiguity", "one-shot"),
        (1, (1,), "knowledge_ambiguity", "one-shot"),
        (2, (2,), "chain", "chain"),
        (9, (1,), "knowledge_ambiguity", "knowledge_ambiguity"),
        (None, (1,), "semantic", "semantic"),
    ],
)
def test_the_knowledge_base_tells_gaps_from_broken_chains(
    masked: int | None, knowledge: tuple[int, ...], written: str, kind: str
) -> None:
    task = interact_task(
        "t",
        InteractPublic("r", "d"),
        InteractHidden(
            "",
            Subtask("r", "BI", ("SELECT 1",), knowledge=knowledge),
            None,
            (Ambiguity("x", written, (), knowledge=masked),),
        ),
    )
    named = with_gaps_named(task, BASE)
    assert [one.kind for one in named.hidden.ambiguities] == [kind]
    assert named.labels["ambiguities"] == kind
    assert named.labels.get("knowledge", "") == (kind if kind in names("knowledge") else "")
