"""A question that was made, and as EHRSQL 1.5 and EHRSQL 2024 write questions."""

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
# Published graders compare the first hundred rows.
_MOST_ROWS = 100
# Forms that count. Zero is an answer, but people rarely ask for a count of nothing.
_COUNTS = ("count", "cases", "patients", "died_after", "not_returned", "top")
NOUGHT = 0.15


@dataclass(frozen=True)
class Made:
    """A question that was made.

    Attributes:
        template: Its template.
        wording: Its wording, with the slots open.
        sql: Its query; None where the records cannot answer it.
        rows: The query's result.
        tied: True if the engine chose among rows of the same time. Such a question is made only
            where records of its kind always have several rows at a time.
    """

    template: QuestionTemplate
    slots: Slots
    wording: str
    question: str
    sql: str | None = None
    rows: Sequence[Sequence[Cell]] = ()
    tied: bool = False


def is_answer(ran: Ran) -> bool:
    """True if a result holds a value, and at most a hundred rows."""
    return ran.holds_something and len(ran.rows or ()) <= _MOST_ROWS


def is_nought(made: Made) -> bool:
    """True if the answer is a count of zero."""
    return made.template.form.startswith(_COUNTS) and tuple(made.rows) == ((0,),)


def entry(made: Made, schema: str, split: str, now: str) -> dict[str, Any]:
    """The question as EHRSQL 1.5 has it; `current_time` and the digest `id` are ours."""
    asked, slots = made.template, made.slots
    return {
        "db_id": schema,
        "question": made.question,
        "template": question(asked, slots),
        "query": made.sql or NULL,
        **(_labels(made) if made.sql else {}),
        "department": str([name.replace(" ", "_") for name in asked.departments]),
        "para_type": _wording_of(made),
        "is_impossible": made.sql is None,
        "split": split,
        "id": sha256(f"{made.question}\n{made.sql}".encode()).hexdigest()[:24],
        "current_time": now,
    }


def answer_text(rows: Sequence[Sequence[Cell]]) -> str:
    """Rows as EHRSQL 2024 writes them: numbers rounded, rows sorted, a hundred at most.

    >>> answer_text([(2,), (0.95161,), ("aspirin",)])
    "[['0.952'], ['2.0'], ['aspirin']]"
    """
    return str(sorted([_written(cell) for cell in row] for row in rows)[:100])


def _wording_of(made: Made) -> str:
    """The author of the wording: "template", "human" or "machine"."""
    if made.wording == made.template.question:
        return "template"
    return "human" if made.wording in made.template.wordings else "machine"


def _labels(made: Made) -> dict[str, Any]:
    """The values and tags of a question with an answer."""
    asked, slots = made.template, made.slots
    filters = by_slot(slots.times)
    chosen = {**slots.operations, **{slot: each.template.id for slot, each in filters.items()}}
    times = {
        f"{name}_{slot}": value
        for slot, filter in filters.items()
        for name, value in filter.values.items()
    }
    return {
        "value": dict(slots.values) | times,
        "q_tag": tag(asked.question),
        "t_tag": list(slots.times.ids),
        "o_tag": [slots.operations.get(slot, "") for slot in all_operations()],
        "tag": tag(asked.question, chosen),
        "importance": asked.importance,
    }


def tag(wording: str, chosen: Mapping[str, str] | None = None) -> str:
    """A wording with its slots as the published tags write them.

    Args:
        wording: A template's own.
        chosen: The sampled operations and times, by slot.

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
