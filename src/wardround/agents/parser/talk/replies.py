"""The agent's sentences: answers, questions, and what was done, in plain language."""

from collections.abc import Sequence
from typing import Any

from wardround.agents.parser.talk.request import Condition, Request, Window

Rows = Sequence[Sequence[Any]]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
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
_SHOWN = 4  # stored names that one explanation lists
_OFFERED = 6  # stored names that one question lists

ASK_GOAL = (
    "What would you like to find out: a number of patients or admissions, the names of something "
    "such as drugs or diagnoses, when something happened, or a measured value?"
)
ASK_PATIENT = "Which patient do you mean? Please give me the patient's ID."
ASK_CONDITIONS = (
    "Which conditions should hold exactly? Name the diagnosis, drug, test, procedure or time that "
    "you have in mind."
)
_NOTHING = "Nothing was found in the records for this: {conditions}. {offer}"
_OFFER = "Should I look for something else, such as another name, an alternative or another time?"


def answer(request: Request, rows: Rows, flow: str) -> str:
    """The result with the conditions that were applied."""
    found = answer_text(request, rows)
    told = f"<answer>{found}</answer>" if flow == "adapt" else found
    return f"The answer is {told}. I looked for {describe(request)}."


def checked(request: Request, rows: Rows, flow: str) -> str:
    """The last answer again, with all of its conditions, for a user who wants to be sure."""
    tell = nothing_found if is_nothing(rows) else answer
    return f"I checked it against all you told me. {tell(request, rows, flow)}"


def nothing_found(request: Request, rows: Rows, flow: str) -> str:
    """That the records hold nothing of the kind; a count of zero is an answer all the same."""
    told = _NOTHING.format(conditions=describe(request), offer=_OFFER)
    counts = request.goal is not None and request.goal.shape == "count"
    if counts and flow == "adapt":
        return f"<answer>{answer_text(request, rows)}</answer> {told}"
    return told


def unknown_value(condition: Condition) -> str:
    """That nothing stored is called so."""
    kind = _KINDS.get(condition.kind, "records")
    return (
        f"Nothing was found: the {kind} of this database have no entry like "
        f"{condition.phrase!r}. Is there another name for it, or something else to look for?"
    )


def which_meant(condition: Condition) -> str:
    """A question of which of several stored things is meant."""
    *others, last = (condition.values or ())[:_OFFERED]
    kind = _KINDS.get(condition.kind, "records")
    return (
        f"There are several {kind} called like {condition.phrase!r}: "
        f"{', '.join(others)} and {last}. Which of them do you mean, or all of them?"
    )


def no_records(kind: str) -> str:
    """That the database has no table of a kind."""
    kind = _KINDS.get(kind, kind)
    return (
        f"This database does not hold {kind}, so nothing was found. What should I look at instead?"
    )


def no_table(thing: str) -> str:
    """That there is no table of its own for a thing."""
    return (
        f"There is no separate table for {thing} in this database; nothing was found there. The "
        "diagnoses, procedures, prescriptions, lab results and admissions are recorded. "
        "Should I look in one of them instead?"
    )


def answer_text(request: Request, rows: Rows) -> str:
    """The bare answer: values as stored, in order, between commas."""
    if request.goal is not None and request.goal.shape == "exists":
        return "yes" if rows and rows[0][0] else "no"
    cells = [cell for row in rows for cell in row if cell is not None]
    return ", ".join(_told(cell, request.in_words) for cell in cells)


def is_nothing(rows: Rows) -> bool:
    """Whether a result holds no row, or but a zero or an empty cell."""
    return not rows or (len(rows) == 1 and not any(rows[0]))


def describe(request: Request) -> str:
    """What was looked for, in words."""
    told = [_KINDS.get(request.target_kind() or "patient", "records")]
    told += [f"patient {request.patient}"] if request.patient else []
    told += [f"the {request.visit} hospital visit"] if request.visit else []
    told += [f"the {request.stay} ICU stay"] if request.stay else []
    told += [f"its first {request.hours} hours"] if request.hours else []
    told += [f"admitted again {_soon(request.again)}"] if request.again else []
    told += [describe_condition(c) for c in request.everything()]
    return "; ".join(told)


def _soon(within: str) -> str:
    return "later" if within == "any" else f"within {within} of discharge"


def describe_condition(condition: Condition) -> str:
    """A condition in words, with what the database calls it.

    >>> describe_condition(Condition("lab", "hgb", values=("hemoglobin",), negated=True))
    'no lab results of hgb (recorded as hemoglobin)'
    """
    told = "no " * condition.negated + _KINDS.get(condition.kind, condition.kind)
    if condition.column not in ("name", "class"):
        told += f" by {condition.column}"
    if condition.phrase:
        told += f" of {condition.phrase}"
    stored = [value for value in condition.values or () if value != condition.phrase]
    if stored:
        more = f" and {len(stored) - _SHOWN} more" if len(stored) > _SHOWN else ""
        told += f" (recorded as {', '.join(stored[:_SHOWN])}{more})"
    told += "".join(f" {bound.operator} {bound.number:g}" for bound in condition.bounds)
    told += _span(condition.window)
    if condition.relation:
        within = f", at most {condition.relation.within}" * bool(condition.relation.within)
        anchor = describe_condition(condition.relation.anchor)
        told += f" {condition.relation.order} the first of {anchor}{within}"
    return told


def number_in_words(number: int) -> str:
    """A number in English words, without hyphens, as EHR-ChatQA's answers have them (A.6.2).

    >>> number_in_words(10), number_in_words(121), number_in_words(2004)
    ('ten', 'one hundred twenty one', 'two thousand four')
    """
    if number < 0:
        return f"minus {number_in_words(-number)}"
    if number < 20:
        return _ONES.split()[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS.split()[tens - 2] + (f" {_ONES.split()[ones]}" if ones else "")
    size, name = next(
        (size, name)
        for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred"))
        if number >= size
    )
    many, rest = divmod(number, size)
    return f"{number_in_words(many)} {name}" + (f" {number_in_words(rest)}" if rest else "")


def _told(cell: Any, in_words: bool) -> str:
    if isinstance(cell, float):
        cell = round(cell, 4)
        cell = int(cell) if cell.is_integer() and in_words else cell
    return number_in_words(cell) if in_words and isinstance(cell, int) else str(cell)


def _span(window: Window | None) -> str:
    if window is None:
        return ""
    since = f" from {window.since} on" if window.since else ""
    return since + (f" until before {window.until}" if window.until else "")
