"""A generated question, and its published forms in EHRSQL 1.5 and EHRSQL 2024."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from wardround.authoring.ehrsql.templates import QuestionTemplate, Slots, question
from wardround.authoring.ehrsql.templates.question_text import by_slot
from wardround.authoring.ehrsql.templates.slot_choices import all_operations
from wardround.authoring.ehrsql.templates.templates import TIME_SLOTS
from wardround.authoring.slots import SLOT, in_tense
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.ehr.database import Cell

_MEASURED = {
    "moment2": "[time_filter_exact2] measured [time_filter_global2]",
    "value1": "[time_filter_exact1] value measured [time_filter_global1]",
}
# The published graders compare the first 100 rows.
_MOST_ROWS = 100
# Counting forms, of which only a share may have the answer 0.
_COUNTS = ("count", "cases", "patients", "died_after", "not_returned", "top")
NOUGHT = 0.15


@dataclass(frozen=True)
class Made:
    """A generated question.

    Attributes:
        template: its template.
        wording: its wording, with open slots.
        sql: its query; None if it is unanswerable.
        rows: the query's result.
        tied: True if the result depends on the engine's order of rows with equal times. Kept
            only if no untied question of its kind was drawn.
    """

    template: QuestionTemplate
    slots: Slots
    wording: str
    question: str
    sql: str | None = None
    rows: Sequence[Sequence[Cell]] = ()
    tied: bool = False


def is_answer(ran: Ran) -> bool:
    """True if a result has a value and at most 100 rows."""
    return ran.has_value and len(ran.rows or ()) <= _MOST_ROWS


def is_nought(made: Made) -> bool:
    """True if the answer is a count of zero."""
    return made.template.form.startswith(_COUNTS) and tuple(made.rows) == ((0,),)


def entry(made: Made, schema: str, split: str, now: str) -> dict[str, Any]:
    """Formats a question as EHRSQL 1.5, with `current_time` and a digest as `id` added."""
    template, slots = made.template, made.slots
    return {
        "db_id": schema,
        "question": made.question,
        "template": question(template, slots),
        "query": made.sql or NULL,
        **(_labels(made) if made.sql else {}),
        "department": str([name.replace(" ", "_") for name in template.departments]),
        "para_type": _wording_of(made),
        "is_impossible": made.sql is None,
        "split": split,
        "id": sha256(f"{made.question}\n{made.sql}".encode()).hexdigest()[:24],
        "current_time": now,
    }


def answer_text(rows: Sequence[Sequence[Cell]]) -> str:
    """Formats rows as EHRSQL 2024: numbers rounded, rows sorted, at most 100.

    >>> answer_text([(2,), (0.95161,), ("aspirin",)])
    "[['0.952'], ['2.0'], ['aspirin']]"
    """
    return str(sorted([_written(cell) for cell in row] for row in rows)[:100])


def _wording_of(made: Made) -> str:
    """The origin of the wording: "template", "human" or "machine"."""
    if made.wording == made.template.question:
        return "template"
    return "human" if made.wording in made.template.wordings else "machine"


def _labels(made: Made) -> dict[str, Any]:
    """The values and tags of an answerable question."""
    template, slots = made.template, made.slots
    filters = by_slot(slots.times)
    chosen = {**slots.operations, **{slot: time.template.id for slot, time in filters.items()}}
    times = {
        f"{name}_{slot}": value
        for slot, filter in filters.items()
        for name, value in filter.values.items()
    }
    return {
        "value": dict(slots.values) | times,
        "q_tag": tag(template.question),
        "t_tag": list(slots.times.ids),
        "o_tag": [slots.operations.get(slot, "") for slot in all_operations()],
        "tag": tag(template.question, chosen),
        "importance": template.importance,
    }


def tag(wording: str, chosen: Mapping[str, str] | None = None) -> str:
    """Rewrites the slots of a wording as in the published tags.

    Args:
        wording: a template's own wording.
        chosen: the sampled operations and times, by slot.

    >>> tag("How old [is|was] patient {patient_id} {global1}?")
    'How old is patient {patient_id} [time_filter_global1]?'
    """
    text = in_tense(wording, over=False)
    text = SLOT.sub(lambda slot: _MEASURED.get(slot[2], slot[0]), text)
    text = SLOT.sub(lambda slot: _tagged(slot[2]), text)
    for slot, name in (chosen or {}).items():
        open_slot = _tagged(slot)
        text = text.replace(open_slot, f"{open_slot[:-1]}:{name}]")
    return text


def _tagged(slot: str) -> str:
    if slot in TIME_SLOTS:
        return f"[time_filter_{slot}]"
    return f"[{slot}]" if slot in all_operations() else f"{{{slot}}}"


def _written(cell: Cell) -> str:
    try:
        return str(round(float(cell), 3)) if cell is not None else str(cell)
    except (TypeError, ValueError):
        return str(cell)
