"""Knowledge ambiguities: loosely named entries and masked entries (H.2)."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import TypeAlias

from sqlglot import exp

from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.spoken_values import other_numbers
from wardround.authoring.interact.ambiguities.statement_nodes import Statement
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry, chain_nodes, with_dependencies

# A fragment of the gold and its other readings.
Piece: TypeAlias = tuple[str, tuple[str, ...]]

_VALUE = re.compile(r"'([^']+)'|(?<![\w.])(\d+(?:\.\d+)?)(?!\w|\.\d)")
_COMPARISONS = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.EQ, exp.NEQ, exp.In, exp.Between)
_ARITHMETIC = (exp.Div, exp.Mul, exp.Sub, exp.Add)


def masks(ids: tuple[int, ...], statement: Statement, base: KnowledgeBase) -> tuple[Proposal, ...]:
    """Proposes to mask each entry that a task needs, if its values are in the gold.

    Args:
        ids: the entries that the task names; their dependencies are needed too.
        statement: a statement of the gold.
        base: the unmasked knowledge base.
    """
    needs = with_dependencies(base, ids)
    nodes = chain_nodes(base.without(set(base.entries) - set(needs)))
    return tuple(
        Proposal(
            "chain" if id in nodes else "one-shot",
            fragment,
            base.entries[id].definition,
            readings,
            term=base.entries[id].name,
            knowledge=id,
            transition="environment-user",
        )
        for id in needs
        for fragment, readings in islice(_pieces(base.entries[id], statement), 1)
    )


def linked(
    request: str, ids: tuple[int, ...], statement: Statement, base: KnowledgeBase
) -> tuple[Proposal, ...]:
    """Proposes loose names for the entries that the clear request names."""
    proposals = []
    for id in with_dependencies(base, ids):
        entry = base.entries[id]
        match = re.search(rf"(?<!\w){re.escape(entry.name)}s?(?!\w)", request, re.IGNORECASE)
        if not match or _within_another(entry, request, base):
            continue
        below = [base.entries[each] for each in with_dependencies(base, [id])]
        pieces = chain.from_iterable(_pieces(e, statement) for e in (entry, *reversed(below)))
        for fragment, readings in islice(pieces, 1):
            meaning = f"I mean {entry.name}, as we define it."
            words = (match[0], loosely(entry, base))
            transition = "user-environment"
            proposals.append(
                Proposal(
                    "knowledge linking", fragment, meaning, readings, *words, transition=transition
                )
            )
    return tuple(proposals)


def _within_another(entry: KnowledgeEntry, request: str, base: KnowledgeBase) -> bool:
    """True if the entry's name in a request is part of a longer entry name."""
    longer = [each.name.lower() for each in base if entry.name.lower() in each.name.lower()]
    return any(name in request.lower() for name in longer if name != entry.name.lower())


def loosely(entry: KnowledgeEntry, base: KnowledgeBase) -> str:
    """Returns an entry's name without its distinguishing words; "such a case" for one word.

    >>> gap = KnowledgeEntry(1, "Corrected Anion Gap", "", "")
    >>> loosely(gap, KnowledgeBase({1: gap, 2: KnowledgeEntry(2, "Serum Anion Gap", "", "")}))
    'anion gap'
    """
    words = entry.name.lower().split()
    other_names = [each.name.lower() for each in base if each.id != entry.id]
    for count in range(len(words) - 1, 0, -1):
        tail = " ".join(words[-count:])
        if any(name.endswith(tail) for name in other_names):
            return tail
    return words[-1] if len(words) > 1 else "such a case"


def telling_values(entry: KnowledgeEntry) -> tuple[str, ...]:
    """Returns the numbers and quoted values of a definition.

    >>> fever = KnowledgeEntry(1, "Fever", "", "A 'temperature celsius' of 38.3 or more (2019).")
    >>> telling_values(fever)
    ('temperature celsius', '38.3')
    """
    # Parentheses with a year hold the source.
    text = re.sub(r"\([^()]*\d{4}[^()]*\)", "", entry.definition)
    return tuple(dict.fromkeys(quoted or number for quoted, number in _VALUE.findall(text)))


def _pieces(entry: KnowledgeEntry, statement: Statement) -> Iterator[Piece]:
    """Yields fragments of the gold with a value of the definition, and other readings."""
    values = telling_values(entry)
    for node in statement.tree.find_all(exp.Literal):
        if node.name in values and (around := node.find_ancestor(*_COMPARISONS)):
            text = statement.text(around)
            is_text = node.is_string
            readings = (
                _fewer_texts(around, statement) if is_text else other_numbers(text, node.name)
            )
            if text and readings:
                yield text, readings
    for formula in statement.tree.find_all(*_ARITHMETIC):
        literals = {each.name for each in formula.find_all(exp.Literal)}
        number = next((each for each in values if each in literals), None)
        text = statement.text(formula) if number else ""
        if number and text and (readings := other_numbers(text, number)):
            yield text, readings


def _fewer_texts(around: exp.Expr, statement: Statement) -> tuple[str, ...]:
    """Shorter versions of a list of texts, as other values are unknown here."""
    texts = [statement.text(each) for each in around.args.get("expressions") or []]
    if not isinstance(around, exp.In) or len(texts) < 2:
        return ()
    head = statement.text(around.this)
    return (f"{head} IN ({texts[0]})", f"{head} IN ({', '.join(texts[:-1])})")
