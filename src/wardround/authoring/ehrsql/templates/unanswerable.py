"""Templates of questions that the records cannot answer (Lee et al. 2022, 3.1.1)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from wardround.authoring.ehrsql.templates.grammar import said_with
from wardround.authoring.ehrsql.templates.templates import slots_of
from wardround.core.packaged_data import read_toml
from wardround.ehr.times import TimeTag


@dataclass(frozen=True)
class UnanswerableTemplate:
    """One kind of unanswerable question.

    Attributes:
        category: Why it cannot be answered: "external knowledge", "appointments" …
        global1: The name of the set of time templates that it may have, "" for none.
        departments: Who in a hospital asks it; our judgement.
    """

    id: str
    question: str
    category: str
    departments: tuple[str, ...]
    global1: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """Its slots that take a value of the database."""
        return slots_of(self.question)

    @property
    def times(self) -> Mapping[str, str]:
        """The name of the set of time templates of each time slot that it has."""
        return {"global1": self.global1} if self.global1 else {}


@cache
def unanswerable_templates() -> tuple[UnanswerableTemplate, ...]:
    """All kinds of unanswerable questions.

    >>> sorted({template.category for template in unanswerable_templates()})[:3]
    ['ambiguous', 'appointments', 'consent']
    """
    entries = read_toml(__package__, "templates/unanswerable.toml")["template"]
    return tuple(
        UnanswerableTemplate(**{**entry, "departments": tuple(entry["departments"])})
        for entry in entries
    )


def unanswerable_question(
    asked: UnanswerableTemplate,
    values: Mapping[str, str | int | float],
    times: TimeTag,
    wording: str = "",
) -> str:
    """The question in words; `wording` is a paraphrase with the same slots.

    >>> template = next(t for t in unanswerable_templates() if t.id == "drug-purpose")
    >>> unanswerable_question(template, {"drug_name": "aspirin"}, TimeTag())
    'What is aspirin used for?'
    """
    return said_with(wording or asked.question, values, times)
