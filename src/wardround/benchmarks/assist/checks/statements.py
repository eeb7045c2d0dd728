"""Decides checks of an answer's quantities, levels, terms and actions."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from wardround.benchmarks.assist.checks.amounts import same_amount
from wardround.benchmarks.assist.checks.model import (
    Advice,
    Finding,
    Level,
    Mention,
    OnDay,
    Property,
    Statement,
    Term,
    Value,
    Wording,
)
from wardround.benchmarks.assist.checks.reading import STATES, Mark, Reading
from wardround.benchmarks.assist.checks.stems import contains
from wardround.benchmarks.assist.checks.words import members

_FAMILIES = (("high", "low", "normal"), ("rise", "fall", "stable"), ("worse", "better"),
             ("positive", "negative"))  # fmt: skip
_ARROWS = ("→", "->", " to ", "至", "到")
_STOPS, _GIVES = {"stop", "avoid"}, {"start", "continue", "increase", "take"}
# The actions that fulfil one, and those that speak against it.
_FULFIL: dict[str, set[str]] = {
    "stop": _STOPS | {"quit"},
    "quit": {"quit", "stop", "miss"},
    "avoid": _STOPS,
    "start": {"start"},
    "continue": {"continue", "take"},
    "increase": {"increase"},
    "reduce": {"reduce"},
    "monitor": {"monitor"},
    "consult": {"consult"},
    "take": {"take", "continue", "start"},
    "miss": {"miss", "stop", "quit"},
}
_AGAINST: dict[str, set[str]] = {
    "stop": _GIVES,
    "avoid": _GIVES,
    "start": _STOPS,
    "continue": _STOPS | {"miss"},
    "increase": _STOPS | {"reduce"},
    "reduce": {"increase"},
    "take": _STOPS | {"miss", "quit"},
    "quit": {"take", "continue"},
    "miss": {"take", "continue"},
}
_DENIED = {
    "start": "avoid", "continue": "stop", "take": "stop", "stop": "continue", "avoid": "continue",
    "increase": "avoid", "miss": "take",
}  # fmt: skip
PASSED = Finding("passed")


def decide_statement(check: Statement, reading: Reading) -> Finding:
    """Decides a check by an answer as it was read."""
    match check:
        case Value():
            return _value(check, reading)
        case Level():
            return _level(check, reading)
        case Property():
            return _property(check, reading)
        case Advice():
            return _advice(check, reading)
        case Mention():
            return _mention(check, reading)
        case OnDay():
            return _day(check, reading)
        case Wording():
            return _wording(check, reading)


def _value(check: Value, reading: Reading) -> Finding:
    test = check.about.name if check.about and check.about.kind == "test" else ""
    every = [mark for mark in reading.of("quantity") if mark.quantity]
    states = [same_amount(check.amount, mark.quantity, test) for mark in every if mark.quantity]
    same = [mark for mark, state in zip(every, states, strict=True) if state is True]
    shown = f"{check.amount.value:g} {check.amount.unit}".strip()
    if not same:
        if any(state is None for state in states):
            return Finding("undecided", f"{shown} stands without its unit")
        return Finding("failed", f"{shown} is not in the answer")
    if all(mark.negated for mark in same):
        return Finding("failed", f"the answer denies {shown}")
    if check.about is None:
        return PASSED
    return _attached(check.about, [m for m in same if not m.negated], reading, shown)


def _attached(about: Term, marks: Sequence[Mark], reading: Reading, shown: str) -> Finding:
    """Decides if one of the marks is about a term."""
    if any(_is_about(mark, about) or not mark.owner for mark in marks):
        return PASSED
    for mark in marks:
        kinds = {kind for kind, _ in mark.owner}
        own = [m for m in reading.of(mark.kind) if _is_about(m, about)]
        spoken = any(
            _names(head, about) for head in reading.marks if head.sentence == mark.sentence
        )
        if about.kind not in kinds or (spoken and not own):
            return Finding("undecided", f"{shown} may be about {about.name}")
    return Finding("failed", f"{shown} is not said of {about.name}")


def _level(check: Level, reading: Reading) -> Finding:
    about, wanted = check.about, set(check.senses)
    every = [m for m in reading.of("level") if about is None or _is_about(m, about) or not m.owner]
    marks = [m for m in every if set(m.names) & wanted or ("abnormal" in wanted and _off(m))]
    shown = "/".join(check.senses) + (f" of {about.name}" if about else "")
    if any(not mark.negated for mark in marks):
        return PASSED
    if marks:
        return Finding("failed", f"the answer denies {shown}")
    senses = {name for mark in every if not mark.negated for name in mark.names}
    families = [family for family in _FAMILIES if wanted & set(family)]
    if any(senses & set(family) for family in families):
        return Finding("failed", f"the answer says {', '.join(sorted(senses))}, not {shown}")
    computed = _computed(about, reading)
    if computed & wanted:
        return PASSED
    if any(computed & set(family) for family in families):
        return Finding("failed", f"the values say {', '.join(sorted(computed))}, not {shown}")
    near = [m for m in reading.of("level") if about is None or _beside(m, about, reading)]
    if every or near:
        return Finding("undecided", f"the answer may say {shown} in other words")
    return Finding("failed", f"the answer does not say {shown}")


def _off(mark: Mark) -> bool:
    return bool({"high", "low", "positive"} & set(mark.names))


def _computed(about: Term | None, reading: Reading) -> set[str]:
    """The levels that values beside ranges and bounds have, and the direction of a change."""
    senses: set[str] = set()
    mine = [m for m in reading.of("quantity") if about is None or _is_about(m, about)]
    for sentence in {mark.sentence for mark in mine}:
        here = [m.quantity for m in mine if m.sentence == sentence and m.quantity]
        values = [q for q in here if q.high is None and not q.bound]
        for low, high in ((q.value, q.high) for q in here if q.high is not None):
            for number in (value.value for value in values):
                senses.add("low" if number < low else "high" if number > high else "normal")
        for bound in (q for q in here if q.bound):
            senses.add("high" if bound.bound.startswith(">") else "low")
        for first, second in pairwise(values):
            if any(
                arrow in reading.text[first.end : second.start] for arrow in ("→", "->", " to ")
            ):
                senses.add("rise" if first.value < second.value else "fall")
    return senses


def _property(check: Property, reading: Reading) -> Finding:
    marks = reading.of(check.property)
    same = [mark for mark in marks if check.name in mark.names and not mark.negated]
    if not same:
        if check.property == "status":
            return Finding("undecided", f"the answer may say {check.name} in other words")
        return Finding("failed", f"the answer does not say {check.name}")
    if check.about is None:
        return PASSED
    return _attached(check.about, same, reading, check.name)


def _advice(check: Advice, reading: Reading) -> Finding:
    about = check.about
    if not any(_names(mark, about) for mark in reading.marks):
        return Finding("failed", f"the answer does not speak of {about.name}")
    said = {
        _DENIED.get(mark.names[0], "") if mark.negated else mark.names[0]
        for mark in reading.of("action")
        if _is_about(mark, about)
    }
    shown = f"{check.action} {about.name}"
    if said & _FULFIL[check.action]:
        return PASSED
    if said & _AGAINST.get(check.action, set()):
        return Finding("failed", f"the answer says {', '.join(sorted(said - {''}))}, not {shown}")
    if all(m.negated for m in reading.marks if _names(m, about)):
        return Finding("failed", f"the answer denies {about.name}")
    if not reading.of("action"):
        return Finding("failed", f"the answer does not say to {shown}")
    return Finding("undecided", f"the answer may say {shown} in other words")


def _mention(check: Mention, reading: Reading) -> Finding:
    term = check.term
    marks = [mark for mark in reading.marks if _names(mark, term)]
    if term.name in STATES:
        test, level = STATES[term.name]
        marks += [m for m in reading.of("level") if ("test", test) in m.owner and level in m.names]
    if any(mark.negated == check.negated for mark in marks):
        return PASSED
    if marks:
        return Finding("failed", f"the answer denies {term.name}" if not check.negated else "")
    words = [word for word in term.name.split() if len(word) > 3]
    if term.kind in ("diagnosis", "service") and any(contains(reading.text, w) for w in words):
        return Finding("undecided", f"the answer may mean {term.name}")
    return Finding("failed", f"the answer does not speak of {term.name}")


def _day(check: OnDay, reading: Reading) -> Finding:
    marks = [mark for mark in reading.of("day") if mark.day]
    if any(m.day.agrees(check.year, check.month, check.day) for m in marks if m.day):
        return PASSED
    shown = "-".join(f"{part:02d}" for part in (check.year, check.month, check.day) if part)
    return Finding("failed" if marks else "undecided", f"the answer does not give {shown}")


def _wording(check: Wording, reading: Reading) -> Finding:
    """Decides if all words stand within two sentences, denied as they should be."""
    ends = (0, *reading.breaks, len(reading.text))
    missing = [word for word in check.words if not contains(reading.text, word)]
    if missing:
        return Finding("undecided", f"the answer has not the words {', '.join(missing)}")
    spans = [(ends[n], ends[min(n + 2, len(ends) - 1)]) for n in range(len(ends) - 1)]
    for start, end in spans:
        window = reading.text[start:end]
        if all(contains(window, word) for word in check.words):
            denied = _denials(reading, start, end, check.words)
            if denied == check.negated:
                return PASSED
            return Finding("failed", f"the answer denies {', '.join(check.words)}")
    return Finding("undecided", f"the words {', '.join(check.words)} stand apart")


def _denials(reading: Reading, start: int, end: int, words: Iterable[str]) -> bool:
    """True if a clause with one of the words is denied."""
    bounds = [*(place for place in reading.clauses if start < place < end), end]
    place = start
    for stop in bounds:
        clause = reading.text[place:stop]
        if any(contains(clause, word) for word in words) and reading.negated_at(max(stop - 1, 0)):
            return True
        place = stop
    return False


def _is_about(mark: Mark, term: Term) -> bool:
    if term.kind == "class":
        return any(_in_class(kind, name, term) for kind, name in mark.owner)
    return (term.kind, term.name) in mark.owner


def _names(mark: Mark, term: Term) -> bool:
    if term.kind == "class":
        return _in_class(mark.kind, mark.names[0] if mark.names else "", term)
    return mark.kind == term.kind and term.name in mark.names


def _in_class(kind: str, name: str, term: Term) -> bool:
    drugs = members(term.name)
    if kind == "class":
        return name == term.name or (bool(members(name)) and members(name) <= drugs)
    return kind == "drug" and (name in drugs or any(part in drugs for part in name.split(" + ")))


def _beside(mark: Mark, about: Term, reading: Reading) -> bool:
    return any(_names(head, about) and head.sentence == mark.sentence for head in reading.marks)
