"""A question that was made, and whether it is one that people ask."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.authoring.ehrsql.questions.sampling import Slots
from wardround.authoring.ehrsql.templates import QuestionTemplate, UnanswerableTemplate
from wardround.benchmarks.ehrsql.result_cache import Ran
from wardround.ehr.database import Cell

# Published graders compare the first hundred rows.
_MOST_ROWS = 100
# Nought is an answer, but "how many" is rarely asked where there is nothing.
_COUNTS = ("count", "cases", "patients", "died_after", "not_returned", "top")
NOUGHT = 0.15


@dataclass(frozen=True)
class Made:
    """One question that was made.

    Attributes:
        template: What kind of question it is.
        wording: How it is put, with its slots open.
        sql: Its query; None where the records cannot answer it.
        rows: What the query gave.
        tied: Whether the engine chose among rows of one time: where the records of that kind
            always have several at once, there is no other question.
    """

    template: QuestionTemplate | UnanswerableTemplate
    slots: Slots
    wording: str
    question: str
    sql: str | None = None
    rows: Sequence[Sequence[Cell]] = ()
    tied: bool = False


def is_answer(ran: Ran) -> bool:
    """Whether a result holds something, and not too much."""
    return ran.holds_something and len(ran.rows or ()) <= _MOST_ROWS


def is_nought(made: Made) -> bool:
    """Whether nothing is counted."""
    counted = isinstance(made.template, QuestionTemplate) and made.template.form.startswith(_COUNTS)
    return counted and tuple(made.rows) == ((0,),)
