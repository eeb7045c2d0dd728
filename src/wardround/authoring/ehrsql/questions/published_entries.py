"""A question that was made as EHRSQL 1.5 and EHRSQL 2024 write questions."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from wardround.authoring.ehrsql.questions.made_question import Made
from wardround.authoring.ehrsql.questions.paraphrases import wordings
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    UnanswerableTemplate,
    question,
    unanswerable_question,
)
from wardround.authoring.ehrsql.templates.grammar import by_slot
from wardround.authoring.ehrsql.templates.operations import all_operations
from wardround.authoring.ehrsql.templates.templates import TIME_SLOTS
from wardround.authoring.slots import SLOT, in_tense
from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.ehr.database import Cell

_SPOKEN = {
    "moment2": "[time_filter_exact2] measured [time_filter_global2]",
    "value1": "[time_filter_exact1] value measured [time_filter_global1]",
}


def entry(made: Made, schema: str, split: str, now: str) -> dict[str, Any]:
    """The question as EHRSQL 1.5 has it; `current_time` is ours."""
    if isinstance(made.template, UnanswerableTemplate):
        asked: dict[str, Any] = {"template": _in_own_words(made), "query": NULL}
    else:
        asked = _answerable(made, made.template)
    return {
        "db_id": schema,
        "question": made.question,
        **asked,
        "department": str([name.replace(" ", "_") for name in made.template.departments]),
        "para_type": _wording_of(made),
        "is_impossible": made.sql is None,
        "split": split,
        "id": question_id(made),
        "current_time": now,
    }


def question_id(made: Made) -> str:
    """The question's id: the same question has the same."""
    return sha256(f"{made.question}\n{made.sql}".encode()).hexdigest()[:24]


def answer_text(rows: Sequence[Sequence[Cell]]) -> str:
    """Rows as EHRSQL 2024 writes them: numbers rounded, rows sorted, a hundred at most.

    >>> answer_text([(2,), (0.95161,), ("aspirin",)])
    "[['0.952'], ['2.0'], ['aspirin']]"
    """
    return str(sorted([_written(cell) for cell in row] for row in rows)[:100])


def _wording_of(made: Made) -> str:
    """The author of its words: "template", "human" or "machine"."""
    if made.wording == made.template.question:
        return "template"
    return "human" if made.wording in wordings(made.template.id) else "machine"


def _answerable(made: Made, asked: QuestionTemplate) -> dict[str, Any]:
    operations = tuple(made.slots.operations.get(slot, "") for slot in all_operations())
    filters = {slot: f.template.id for slot, f in by_slot(made.slots.times).items()}
    return {
        "template": _in_own_words(made),
        "query": made.sql,
        "value": dict(made.slots.values) | _time_values(made),
        "q_tag": tag(asked.question),
        "t_tag": list(made.slots.times.ids),
        "o_tag": list(operations),
        "tag": tag(asked.question, {**made.slots.operations, **filters}),
        "importance": asked.importance,
    }


def tag(wording: str, chosen: dict[str, str] | None = None) -> str:
    """A wording with its slots as the published tags write them.

    Args:
        wording: A template's own.
        chosen: The sampled operations and times, by slot.

    >>> tag("How old [is|was] patient {patient_id} {global1}?")
    'How old is patient {patient_id} [time_filter_global1]?'
    """
    text = in_tense(wording, over=False)
    text = SLOT.sub(lambda slot: _SPOKEN.get(slot[2], slot[0]), text)
    text = SLOT.sub(lambda slot: _tagged(slot[2]), text)
    for slot, name in (chosen or {}).items():
        open_slot = _tagged(slot)
        text = text.replace(open_slot, f"{open_slot[:-1]}:{name}]")
    return text


def _tagged(slot: str) -> str:
    if slot in TIME_SLOTS:
        return f"[time_filter_{slot}]"
    return f"[{slot}]" if slot in all_operations() else f"{{{slot}}}"


def _in_own_words(made: Made) -> str:
    slots = made.slots
    if isinstance(made.template, UnanswerableTemplate):
        return unanswerable_question(made.template, slots.values, slots.times)
    return question(made.template, slots.values, slots.operations, slots.times)


def _time_values(made: Made) -> dict[str, int]:
    return {
        f"{name}_{slot}": value
        for slot, filter in by_slot(made.slots.times).items()
        for name, value in filter.values.items()
    }


def _written(cell: Cell) -> str:
    try:
        return str(round(float(cell), 3)) if cell is not None else str(cell)
    except (TypeError, ValueError):
        return str(cell)
