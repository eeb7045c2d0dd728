"""The agent's replies in plain language: answers, questions and explanations."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

from wardround.agents.parser.talk.request import Clause, Request, StatedGoal
from wardround.ehr.query import Between, Span
from wardround.ehr.text import numerals
from wardround.ehr.times import TimeFilter, filter_text

Rows = Sequence[Sequence[Any]]

_KINDS = {
    "admission": "hospital admissions",
    "cost": "costs",
    "culture": "culture results",
    "diagnosis": "diagnoses",
    "drug": "prescriptions",
    "icu": "ICU stays",
    "intake": "fluid intake",
    "lab": "lab results",
    "output": "fluid output",
    "patient": "patients",
    "procedure": "procedures",
    "transfer": "transfers",
    "vital": "vital signs",
}
_STATISTICS = {"max": "highest", "min": "lowest", "sum": "total"}
_GIVEN = {"time": "time", "value": "value", "length": "length", "cost": "cost"}
_HOURS_A_DAY = 24
_SHOWN = 4  # stored names that one explanation lists
_LISTED = 20  # values that one answer lists, beside the rows that its user sees
_OFFERED = 10  # stored names that one question lists

ASK_GOAL = (
    "What would you like to find out: a number of patients or admissions, the names of something "
    "such as drugs or diagnoses, when something happened, or a measured value?"
)
ASK_PATIENT = "Which patient do you mean? Please give me the patient's ID."
ASK_CONDITIONS = (
    "Which conditions should hold exactly? Name the diagnosis, drug, test, procedure or time that "
    "you have in mind."
)
NOT_ASKED = (
    "The records could not be asked just now, so this says nothing about them; please ask again."
)
MISSING_PART = (
    "This database does not hold all that this needs, so I have not answered. What should I look "
    "at instead?"
)
NOT_CHANGED = (
    "I did not understand what to change in the last question. Please ask the whole question anew."
)
NOT_UNDERSTOOD = "I did not understand the question. Please ask it in other words."
ONE_AT_A_TIME = "This asks more than one thing. Please ask one question at a time."
REFUSED_BEFORE = (
    "The question before this one was not answered, so nothing can go on from it. Please ask the "
    "whole question, and say whose records you mean."
)
NOTHING_BEFORE = (
    "No question before this one was answered. Please ask the whole question, and say whose "
    "records you mean."
)
_SCOPE = (
    "You can ask how many patients or stays there are, which drugs, diagnoses or other things they "
    "have on record, when something happened, how long a stay was, or what was measured; then go "
    "on from the answer. An example: How many women over 60 were diagnosed with sepsis? This "
    "database holds {kinds}."
)
_NOTHING = "Nothing was found in the records for this: {conditions}. {offer}"
_OFFER = "Should I look for something else, such as another name, an alternative or another time?"


def answer_reply(request: Request, rows: Rows, flow: str, *, is_cut_off: bool = False) -> str:
    """The result with the conditions that were applied, and whether it has more rows."""
    answer = answer_text(request, rows)
    at_least = "more than " * is_cut_off
    more = f" and {at_least}{len(rows) - _LISTED} others" if len(rows) > _LISTED else ""
    shown = f"{answer_text(request, rows[:_LISTED])}{more}{_unit(request.goal)}"
    rendered = f"<answer>{answer}</answer>" if flow == "adapt" else shown
    return f"The answer is {rendered}. I looked for {describe(request)}."


def _unit(goal: StatedGoal | None) -> str:
    if goal is None or goal.shape != "length":
        return ""
    return " hours" if goal.scale == _HOURS_A_DAY else " days"


def scope_reply(has: Callable[[str], bool]) -> str:
    """The reply to a turn that asks nothing: what can be asked, and which records there are.

    Args:
        has: Tells if the database has records of a kind.
    """
    *others, last = [named for kind, named in _KINDS.items() if has(kind)] or ["no records"]
    return _SCOPE.format(kinds=f"{', '.join(others)} and {last}" if others else last)


def checked_reply(last_answer: str) -> str:
    """The last answer again with all of its conditions, for a user who asks for a check."""
    return f"I checked it against all you told me. {last_answer}"


def nothing_found_reply(request: Request, rows: Rows, flow: str) -> str:
    """The reply where nothing was found; a count of zero and a "no" are given as the answer."""
    rendered = _NOTHING.format(conditions=describe(request), offer=_OFFER)
    shape = request.goal.shape if request.goal else ""
    if shape == "count" and flow == "adapt":
        return f"<answer>{answer_text(request, rows)}</answer> {rendered}"
    if shape in ("count", "exists"):
        return f"The answer is {answer_text(request, rows)}. {rendered}"
    return rendered


def held_period_reply(kind: str, first: int, last: int) -> str:
    """The remark beside an empty result for a period that lies outside of the records.

    >>> held_period_reply("icu", 2110, 2201)
    'The ICU stays of this database are from the years 2110 to 2201, so this says nothing of then.'
    """
    named = _KINDS.get(kind, "records")
    return (
        f"The {named} of this database are from the years {first} to {last}, so this says nothing "
        "of then."
    )


def unknown_value_reply(condition: Clause) -> str:
    """The reply to a term that matches no stored value."""
    kind = _KINDS.get(condition.kind, "records")
    return (
        f"Nothing was found: the {kind} of this database have no entry like "
        f"{condition.phrase!r}. Is there another name for it, or something else to look for?"
    )


def choice_question(condition: Clause) -> str:
    """A question for one of several stored values.

    >>> from wardround.agents.parser.talk.request import clause
    >>> from wardround.agents.parser.talk.value_linker import linked
    >>> tests = linked(clause("lab", "urea"), tuple(f"urea {n}" for n in range(12)))
    >>> choice_question(tests).split(", ")[-2]
    'urea 9 and 2 more. Which of them do you mean'
    """
    stored = condition.stored or ()
    more = len(stored) - _OFFERED
    *others, last = (*stored[:_OFFERED], f"{more} more") if more > 0 else stored
    kind = _KINDS.get(condition.kind, "records")
    return (
        f"There are several {kind} called like {condition.phrase!r}: "
        f"{', '.join(others)} and {last}. Which of them do you mean, or all of them?"
    )


def unread_reply(unread: Sequence[str]) -> str:
    """The reply to a question with words that were not understood."""
    named = ", ".join(repr(word) for word in unread)
    return (
        f"I did not understand {named}, so I have not answered. Please say it in other words, or "
        "say 'leave it out', and I answer without it."
    )


def unknown_thing_reply(named: Sequence[str]) -> str:
    """The reply to a question about things that may be of any kind of record."""
    things = " and ".join(repr(each) for each in named)
    return (
        f"I did not understand the question: I do not know what {things} is in this database. "
        "Please ask it in other words."
    )


def dangling_reply(pointing: str) -> str:
    """The reply to a turn that points to what was not said."""
    return f"I do not know what {pointing!r} points to. Please ask the whole question."


def place_reply(unit: str) -> str:
    """The reply to a question for what happened in a place, where only who was there is known."""
    return (
        f"I know who was there, but not what happened {unit!r}, so I have not answered. Please "
        "ask it in other words."
    )


def lost_reply(lost: str) -> str:
    """The reply to a turn whose reading would lose something of the question before."""
    return (
        f"I am not sure if this still is about what you asked before ({lost}). Please ask the "
        "whole question."
    )


def addition_reply(added: Clause) -> str:
    """The reply to a turn that may add a condition, or put it in place of another."""
    return (
        f"I am not sure if you ask for {describe_condition(added)} instead of what you asked "
        "before, or for both. Please ask the whole question."
    )


def which_question(request: Request) -> str:
    """A question if a turn goes on with the last request, or is about all records."""
    return (
        f"Do you ask this of those from before ({describe(request)}), or of all patients? Please "
        "say: of those, or of all."
    )


def missing_kind_reply(kind: str) -> str:
    """The reply where the database has no table for a kind of record."""
    kind = _KINDS.get(kind, kind)
    return (
        f"I found no {kind} that I can read in this database, so I have not answered. What should "
        "I look at instead?"
    )


def unreadable_kind_reply(kind: str) -> str:
    """The reply where records of a kind are there, but not what they are called."""
    kind = _KINDS.get(kind, kind)
    return (
        f"The table that names the {kind} which I can read is missing, so I have not answered. "
        "Other tables may hold what you ask for. What should I look at instead?"
    )


def missing_table_reply(thing: str) -> str:
    """The reply where the user assumes a separate table."""
    return (
        f"There is no separate table for {thing} in this database; nothing was found there. The "
        "diagnoses, procedures, prescriptions, lab results and admissions are recorded. "
        "Should I look in one of them instead?"
    )


def answer_text(request: Request, rows: Rows) -> str:
    """The answer alone: the stored values in order, separated by commas."""
    if request.goal is not None and request.goal.shape == "exists":
        return "yes" if rows and rows[0][0] else "no"
    cells = [cell for row in rows for cell in row if cell is not None]
    return ", ".join(_cell_text(cell, request.in_words) for cell in cells)


def is_empty_result(rows: Rows) -> bool:
    """True if a result has no row, or only a zero or an empty cell."""
    return not rows or (len(rows) == 1 and not any(rows[0]))


def describe(request: Request) -> str:
    """The request in words: what is looked for first, and each condition once."""
    target = request.target_kind() or "patient"
    stated = request.all_conditions()
    sought = [
        describe_condition(c) for c in request.conditions if c.kind == target and not c.is_negated
    ]
    rendered = sought or [_KINDS.get(target, "records")]
    rendered += [f"patient {request.patient}"] if request.patient else []
    rendered += [f"the {request.visit} hospital visit"] if request.visit else []
    rendered += [f"the {request.stay} ICU stay"] if request.stay else []
    rendered += [f"its first {request.hours} hours"] if request.hours else []
    rendered += [f"admitted again {_soon(request.again)}"] if request.again else []
    is_share = request.goal is not None and request.goal.shape == "share"
    rendered += _alternatives(request.conditions if is_share else stated)
    rendered += ["all in one hospital admission"] if _is_of_one_visit(request) else []
    rendered += [f"among them those with {'; '.join(_alternatives(request.part))}"] * is_share
    rendered += [_statistic(request.goal)] if request.goal and request.goal.which != "all" else []
    texts = dict.fromkeys(rendered)
    return "; ".join(text for text in texts if not any(t.startswith(f"{text} ") for t in texts))


def _is_of_one_visit(request: Request) -> bool:
    """True if several things have to be on record for one hospital visit of a patient."""
    stated = [c for c in request.all_conditions() if c.kind != "patient" and not c.ever]
    records = {(c.kind, c.record) for c in stated}
    is_of_people = request.target_kind() in ("", "patient") and not request.patient
    return request.is_by_visit() and is_of_people and len(records) > 1


def _alternatives(stated: Sequence[Clause]) -> list[str]:
    """Conditions in words; alternatives share one text."""
    grouped: dict[int, list[str]] = {}
    for n, each in enumerate(stated, start=1):
        grouped.setdefault(each.either or -n, []).append(describe_condition(each))
    return [" or ".join(texts) for texts in grouped.values()]


def _statistic(goal: StatedGoal) -> str:
    """The value, time or length that is given, in words: "the time of the lowest value"."""
    word = _STATISTICS.get(goal.which, goal.which)
    if goal.shape == "time" and goal.which in ("max", "min"):
        return f"the time of the {word} value"
    return f"the {word} {_GIVEN.get(goal.shape, goal.column)}"


def _soon(within: Span | Literal["any"]) -> str:
    return "later" if within == "any" else f"within {within} of discharge"


def describe_condition(condition: Clause) -> str:
    """A condition in words, with its stored values.

    >>> from wardround.agents.parser.talk.request import clause
    >>> from wardround.agents.parser.talk.value_linker import linked
    >>> describe_condition(linked(clause("lab", "hgb"), ("hemoglobin",)))
    'lab results of hgb (recorded as hemoglobin)'
    """
    rendered = "no " * condition.is_negated + _KINDS.get(condition.kind, condition.kind)
    if condition.column not in ("name", "class"):
        rendered += f" by {condition.column}"
    if condition.phrase:
        rendered += f" of {condition.phrase}"
    stored = [value for value in condition.stored or () if value != condition.phrase]
    if stored:
        more = f" and {len(stored) - _SHOWN} more" if len(stored) > _SHOWN else ""
        rendered += f" (recorded as {', '.join(stored[:_SHOWN])}{more})"
    stated = condition.condition
    rendered += " at any time" * condition.ever
    rendered += " during an ICU stay" * stated.is_in_icu
    rendered += "".join(f" {bound.operator} {bound.number:g}" for bound in stated.bounds)
    rendered += "".join(_period(each.filter) for each in stated.periods)
    if stated.relation and condition.anchor:
        within = f", at most {stated.relation.within}" * bool(stated.relation.within)
        anchor = describe_condition(condition.anchor)
        rendered += f" {stated.relation.order} the first of {anchor}{within}"
    return rendered


def _cell_text(cell: Any, in_words: bool) -> str:
    if isinstance(cell, float):
        cell = round(cell, 4)
        cell = int(cell) if cell.is_integer() and in_words else cell
    return numerals.in_words(cell) if in_words and isinstance(cell, int) else str(cell)


def _period(time: TimeFilter | Between) -> str:
    if isinstance(time, TimeFilter):
        return f" {filter_text(time)}"
    since = f" from {time.since} on" if time.since else ""
    return since + (f" until before {time.until}" if time.until else "")
