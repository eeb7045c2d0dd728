"""Reads values, nouns and verbs of a question as conditions."""

from collections.abc import Mapping
from dataclasses import replace

from wardround.agents.parser.grammar.condition_state import ConditionState, NotUnderstoodError
from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition, Words

# The kinds of record that a verb is about.
VERBS: Mapping[str, tuple[str, ...]] = {
    "given": ("drug", "procedure", "treatment", "intake", "culture", "diagnosis"),
    "drug": ("drug",),
    "drug-on": ("drug",),
    "diagnosis": ("diagnosis",),
    "procedure": ("procedure", "treatment"),
    "lab": ("lab", "vital"),
    "culture": ("culture", "organism"),
    "allergy": ("allergy",),
    "stayed": ("transfer",),
    "with": ("diagnosis", "procedure", "lab", "vital", "culture", "organism", "allergy"),
}
# Kinds of record in order of preference, for a name that no verb settles.
PREFERRED = ("patient", "transfer", "admission", "diagnosis", "procedure", "drug", "lab", "vital")

# The kinds of record that a noun may also stand beside.
_SAME_NOUN = {
    "lab": frozenset({"vital"}),
    "admission": frozenset({"icu"}),
    "hospital": frozenset({"icu", "admission"}),
}
_ATTRIBUTES = frozenset({"patient", "admission", "transfer"})
WEAK_VERBS = ("", "with", "drug-on")


def read_value(state: ConditionState, at: int) -> int:
    """Read a value as a condition, or as an alternative; return the next position."""
    item = state.items[at]
    if _is_number_word(state, at):
        return at + 1
    if item.is_part and not _may_stand(state, at):
        raise NotUnderstoodError(item)
    kinds = {role.kind for role in item.values}
    wanted = VERBS.get(state.verb, ())
    hint = _noun_beside(state, at)
    if "admission" in kinds and _is_introduced(state, at):
        hint = "admission"
    chosen = [hint] if hint in kinds else [kind for kind in wanted if kind in kinds]
    if not chosen and state.verb not in WEAK_VERBS and not kinds & _ATTRIBUTES:
        raise NotUnderstoodError(item)
    chosen = chosen or [kind for kind in PREFERRED if kind in kinds] or sorted(kinds)
    if chosen[0] not in _ATTRIBUTES or chosen[0] == "transfer":
        state.open_verb = None
    kind = chosen[0]
    values = tuple((role, Words(item.written)) for role in item.values if role.kind == kind)
    last = state.clauses[-1] if state.clauses else None
    before = last.condition if last else None
    if state.link == "comma":
        state.link = "or" if _ends_with_or(state, at) else "and"
    if last and before and before.kind == kind and state.link == "or":
        same = _column(before) == values[0][0].column
        if same and state.negation is None:
            merged = last.changed(values=(*before.values, *values))
            state.clauses[-1] = replace(merged, last=item.last)
            state.link = ""
            return at + 1
    if state.link == "or":
        raise NotUnderstoodError(state.item_before(at, "link"))
    is_negated = state.link == "and" and before is not None and before.is_negated
    if is_negated and before and before.kind == kind and state.negation is None:
        raise NotUnderstoodError(state.item_before(at, "link"))
    state.add(Condition(kind, values), item)
    return at + 1


def _is_number_word(state: ConditionState, at: int) -> bool:
    """True for "single" before a record, as in "a single procedure"."""
    after = state.items[at + 1] if at + 1 < len(state.items) else None
    is_marital = any(role.column == "marital" for role in state.items[at].values)
    return bool(is_marital and after and after.means("noun") and not after.means("noun", "patient"))


def _may_stand(state: ConditionState, at: int) -> bool:
    """True if a part of a name stands where a name does: after a verb, a noun or "or"."""
    before = next((item for item in reversed(state.items[:at]) if not _is_filler(item)), None)
    kinds = ("verb", "noun", "link", "negation", "order", "aggregate", "compare", "sequence")
    is_of_unit = all(role.kind in ("transfer", "admission") for role in state.items[at].values)
    after = state.items[at + 1] if at + 1 < len(state.items) else None
    if after and any(after.means("noun", role.kind) for role in state.items[at].values):
        return True
    if before is None or (is_of_unit and not before.means("verb", "stayed")):
        return False
    return any(before.means(kind) for kind in kinds)


def _is_introduced(state: ConditionState, at: int) -> bool:
    """True if the item before a value is the noun of an attribute: "admitted through"."""
    before = next((item for item in reversed(state.items[:at]) if not item.is_harmless), None)
    return before is not None and (before.means("attribute") or before.means("event"))


def _ends_with_or(state: ConditionState, at: int) -> bool:
    """True if the list of values that goes on here ends with "or"."""
    links = [item.meaning("link") for item in state.items[at:] if item.means("link")]
    return "or" in links and "and" not in links[: links.index("or")]


def _noun_beside(state: ConditionState, at: int) -> str:
    """The kind of record of a noun right before or after a value."""
    after = state.items[at + 1] if at + 1 < len(state.items) else None
    if after and after.means("noun"):
        return after.meaning("noun")
    for before in reversed(state.items[:at]):
        if before.means("noun"):
            return before.meaning("noun")
        if not before.is_harmless:
            break
    return ""


def read_noun(state: ConditionState, at: int) -> None:
    """Read a noun that stands beside a value, or alone in "no procedures"."""
    item = state.items[at]
    noun = item.meaning("noun")
    if noun == "patient":
        return
    neighbours = [state.items[n] for n in (at - 1, at + 1, at + 2) if 0 <= n < len(state.items)]
    if any(role.kind == noun for entry in neighbours for role in entry.values):
        return
    near = {role.kind for entry in neighbours for role in entry.values}
    if near & _SAME_NOUN.get(noun, frozenset()):
        return
    if noun == "culture" and (state.clauses and state.clauses[-1].kind == "organism"):
        return
    if noun == "culture" and any(r.kind == "organism" for i in state.items for r in i.values):
        return
    if state.negation and noun not in ("patient", "admission"):
        state.open_verb = None
        state.add(Condition(noun), item)
        return
    is_stay = noun == "admission" and any(c.kind == "admission" for c in state.clauses)
    if is_stay or (noun == "admission" and _follows_stay_words(state, at)):
        return
    raise NotUnderstoodError(item)


def _follows_stay_words(state: ConditionState, at: int) -> bool:
    after = state.items[at + 1] if at + 1 < len(state.items) else None
    return after is not None and any(role.kind == "admission" for role in after.values)


def read_verb(state: ConditionState, item: Item, at: int) -> None:
    """Read a verb, whose object has to stand before or behind it."""
    if state.open_verb:
        raise NotUnderstoodError(state.open_verb)
    state.verb = item.meaning("verb")
    kinds = VERBS[state.verb]
    is_behind = state.of in kinds or (bool(state.clauses) and state.clauses[-1].kind in kinds)
    if state.verb not in WEAK_VERBS and not is_behind:
        state.open_verb = item
    _any_record(state, at)


def _any_record(state: ConditionState, at: int) -> None:
    """A verb with a bare noun: "underwent any procedure"."""
    for n in range(at + 1, len(state.items)):
        item = state.items[n]
        if item.means("noun") and n not in state.used:
            kind = item.meaning("noun")
            after = state.items[n + 1 : n + 3]
            named = {role.kind for entry in after for role in entry.values}
            is_bare = not (state.items[n + 1 : n + 2] and after[0].values) and kind not in named
            if kind in VERBS.get(state.verb, ()) and is_bare:
                state.used.add(n)
                state.open_verb = None
                state.add(Condition(kind), item)
            return
        if not item.is_harmless or item.values:
            return


def introduces_value(state: ConditionState, at: int) -> bool:
    """True if an attribute's noun stands beside a value of that attribute."""
    column = state.items[at].meaning("attribute")
    near = state.items[max(at - 2, 0) : at + 4]
    return any(role.column == column for item in near for role in item.values)


def read_link(state: ConditionState, item: Item) -> None:
    """Read a conjunction."""
    meaning = item.meaning("link")
    if meaning not in ("either", "both"):
        state.link = meaning


def _is_filler(item: Item) -> bool:
    return item.is_harmless and not item.means("verb")


def _column(condition: Condition) -> str:
    return condition.values[0][0].column if condition.values else ""
