"""Classification of masked knowledge as one-shot or chain by the knowledge base."""

from tests.cases import for_each
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    Subtask,
    interact_task,
    with_gaps_named,
)
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry
from wardround.people.clarifying.kinds import names
from wardround.people.clarifying.secret import Ambiguity


def entry(id: int, *children: int) -> KnowledgeEntry:
    return KnowledgeEntry(id, f"e{id}", "", "", children=children)


BASE = KnowledgeBase({e.id: e for e in (entry(1, 2), entry(2, 3), entry(3), entry(4, 2))})


@for_each(
    [
        (2, (), "knowledge_ambiguity", "chain"),
        (2, (1,), "knowledge_ambiguity", "chain"),
        (2, (2, 3), "knowledge_ambiguity", "one-shot"),
        (3, (1,), "knowledge_ambiguity", "one-shot"),
        (1, (1,), "knowledge_ambiguity", "one-shot"),
        (2, (2,), "chain", "chain"),
        (9, (1,), "knowledge_ambiguity", "knowledge_ambiguity"),
        (None, (1,), "semantic", "semantic"),
    ]
)
def test_knowledge_gap_kind_follows_the_knowledge_graph(
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
    named = with_gaps_named(task, {"d": BASE})
    assert [each.kind for each in named.hidden.ambiguities] == [kind]
    assert named.labels["ambiguities"] == kind
    assert named.labels.get("knowledge", "") == (kind if kind in names("knowledge") else "")
