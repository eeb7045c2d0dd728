"""A question that was made, and predicates of its answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.authoring.ehrsql.questions.slot_draw import Slots
from wardround.authoring.ehrsql.templates import QuestionTemplate
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.ehr.database import Cell

# Published graders compare the first hundred rows.
_MOST_ROWS = 100
# Forms that count. Zero is an answer, but people rarely count what is not there.
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
        tied: True if the engine chose among rows of one time: where the records of that kind
            always have several at once, there is no other question.
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
