"""Ambiguities of knowledge: entries that are named loosely, and entries that are masked (H.2)."""

import re
from collections.abc import Iterator

from sqlglot import exp

from wardround.authoring.interact.ambiguities.intent import other_numbers
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.statement_nodes import Statement, span_of, text_of
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry, chain_nodes, with_dependencies

_VALUE = re.compile(r"'([^']+)'|(?<![\w.])(\d+(?:\.\d+)?)(?!\w|\.\d)")
_COMPARED = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ, exp.In, exp.Between)
_WORKED_OUT = (exp.Div, exp.Mul, exp.Sub, exp.Add)


def masks(ids: tuple[int, ...], statement: Statement, base: KnowledgeBase) -> tuple[Proposal, ...]:
    """A mask of each entry that a task needs, the gold showing that it does.

    Args:
        ids: The entries that the task names; what they are built on is needed too.
        statement: A statement of the gold.
        base: The knowledge base, nothing masked.
    """
    needs = with_dependencies(base, ids)
    nodes = chain_nodes(base.without(set(base.entries) - set(needs)))
    found = []
    for id in needs:
        entry = base.entries[id]
        for fragment, readings in _shown(entry, statement):
            kind = "chain" if id in nodes else "one-shot"
            found.append(
                Proposal(
                    kind,
                    fragment,
                    entry.definition,
                    readings,
                    term=entry.name,
                    knowledge=id,
                    transition="environment-user",
                )
            )
            break
    return tuple(found)


def linked(
    request: str, ids: tuple[int, ...], statement: Statement, base: KnowledgeBase
) -> tuple[Proposal, ...]:
    """Entries that the clear request names, named loosely."""
    found = []
    for id in with_dependencies(base, ids):
        entry = base.entries[id]
        said = re.search(rf"(?<!\w){re.escape(entry.name)}s?(?!\w)", request, re.IGNORECASE)
        pieces = _shown(entry, statement) or _shown_below(entry, statement, base)
        if said and pieces and not _within_another(entry, request, base):
            fragment, readings = pieces[0]
            loose = loosely(entry, base)
            meaning = f"I mean {entry.name}, as we define it."
            found.append(
                Proposal(
                    "knowledge linking",
                    fragment,
                    meaning,
                    readings,
                    said[0],
                    loose,
                    transition="user-environment",
                )
            )
    return tuple(found)


def _within_another(entry: KnowledgeEntry, request: str, base: KnowledgeBase) -> bool:
    """True if a request names an entry only as a part of another's name."""
    longer = [one.name.lower() for one in base if entry.name.lower() in one.name.lower()]
    return any(name in request.lower() for name in longer if name != entry.name.lower())


def loosely(entry: KnowledgeEntry, base: KnowledgeBase) -> str:
    """An entry's name without the words that tell it from others; "such a case" of one word.

    >>> gap = KnowledgeEntry(1, "Corrected Anion Gap", "", "")
    >>> loosely(gap, KnowledgeBase({1: gap, 2: KnowledgeEntry(2, "Serum Anion Gap", "", "")}))
    'anion gap'
    """
    words = entry.name.lower().split()
    others = [other.name.lower() for other in base if other.id != entry.id]
    for count in range(len(words) - 1, 0, -1):
        tail = " ".join(words[-count:])
        if any(other.endswith(tail) for other in others):
            return tail
    return words[-1] if len(words) > 1 else "such a case"


def telling(entry: KnowledgeEntry) -> tuple[str, ...]:
    """The numbers and quoted values of a definition.

    >>> telling(KnowledgeEntry(1, "Fever", "", "A 'temperature celsius' of 38.3 or more (2019)."))
    ('temperature celsius', '38.3')
    """
    # Parentheses hold the source or a remark.
    text = re.sub(r"\([^()]*\d{4}[^()]*\)", "", entry.definition)
    return tuple(dict.fromkeys(quoted or number for quoted, number in _VALUE.findall(text)))


def _shown(entry: KnowledgeEntry, statement: Statement) -> list[tuple[str, tuple[str, ...]]]:
    """The pieces of the gold that hold what a definition tells, with other readings."""
    return list(_pieces(telling(entry), statement))


def _shown_below(
    entry: KnowledgeEntry, statement: Statement, base: KnowledgeBase
) -> list[tuple[str, tuple[str, ...]]]:
    """The same of what an entry is built on."""
    below = [base.entries[id] for id in with_dependencies(base, [entry.id])]
    return [piece for one in reversed(below) for piece in _shown(one, statement)]


def _pieces(values: tuple[str, ...], statement: Statement) -> Iterator[tuple[str, tuple[str, ...]]]:
    for node in statement.tree.find_all(exp.Literal):
        if node.name in values and (around := node.find_ancestor(*_COMPARED)):
            text = text_of(around, statement)
            if node.is_string:
                readings = _other_texts(around, statement)
            else:
                readings = other_numbers(text, node.name)
            if text and readings:
                yield text, readings
    for formula in statement.tree.find_all(*_WORKED_OUT):
        literals = {one.name for one in formula.find_all(exp.Literal)}
        place = span_of(formula, statement)
        if place and literals & set(values):
            text = statement.between(*place)
            number = next(one for one in values if one in literals)
            if readings := other_numbers(text, number):
                yield text, readings


def _other_texts(around: exp.Expr, statement: Statement) -> tuple[str, ...]:
    """Of a list, some of it; of one value no other reading can be told without the database."""
    texts = [text_of(one, statement) for one in around.args.get("expressions") or []]
    if not isinstance(around, exp.In) or len(texts) < 2:
        return ()
    head = text_of(around.this, statement)
    return (f"{head} IN ({texts[0]})", f"{head} IN ({', '.join(texts[:-1])})")
