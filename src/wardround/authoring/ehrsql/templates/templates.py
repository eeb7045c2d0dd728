"""The question templates of EHRSQL (Table 7), each with its form of SQL and its slots."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from wardround.authoring.ehrsql.templates.operations import all_operations
from wardround.authoring.ehrsql.templates.records import RELEASED, base_schema
from wardround.authoring.slots import SLOT
from wardround.core.packaged_data import read_toml

SCHEMAS = ("ehrsql_mimic_iii", "ehrsql_mimic_iv", "ehrsql_eicu", "mimic_iv_star", "eicu_star")

TIME_SLOTS = ("global1", "global2", "within", "exact1", "exact2")
_FILES = ("no_patient", "one_patient", "many_patients")
_SPOKEN_TIMES = {"moment2", "value1"}


@dataclass(frozen=True)
class QuestionTemplate:
    """One kind of question.

    Attributes:
        scope: Whom it is about: no patient, one, or a group.
        question: Our wording, with slots (see the files of `templates/`).
        form: The name of its SQL.
        event, then: The event that it is about, and for two events the one that follows.
        named_by, then_named_by: Their slots, where they are of one kind.
        global1, global2, within, exact1, exact2: Names of sets of time templates, "" for none.
        assumption: An assumption about the records (Table 7 and C.1).
        departments: Who in a hospital asks it; our judgement.
        importance: As a physician rated it for the paper (F): "high", "medium", "low" or "n/a".
        absent: Why a schema cannot answer it, by schema.
        released: The paper does not have it; EHRSQL 2024 does.
    """

    id: str
    scope: Literal["none", "single", "group"]
    question: str
    form: str
    departments: tuple[str, ...]
    importance: Literal["high", "medium", "low", "n/a"]
    event: str = ""
    then: str = ""
    named_by: str = ""
    then_named_by: str = ""
    global1: str = ""
    global2: str = ""
    within: str = ""
    exact1: str = ""
    exact2: str = ""
    assumption: str = ""
    absent: Mapping[str, str] = field(default_factory=dict, hash=False)
    released: bool = False

    @property
    def slots(self) -> tuple[str, ...]:
        """Every slot of its wording but times, in order, each once."""
        return slots_of(self.question)

    @property
    def operations(self) -> tuple[str, ...]:
        """Its slots that take an operation (Table 9)."""
        return tuple(slot for slot in self.slots if slot in all_operations())

    @property
    def values(self) -> tuple[str, ...]:
        """Its slots that take a value of the database (Table 10)."""
        return tuple(slot for slot in self.slots if slot not in all_operations())

    @property
    def times(self) -> Mapping[str, str]:
        """The name of the set of time templates of each time slot that it has."""
        named = {slot: getattr(self, slot) for slot in TIME_SLOTS}
        return {slot: name for slot, name in named.items() if name}

    def why_not(self, schema: str) -> str:
        """Why the schema cannot answer it; "" where it can."""
        base = base_schema(schema)
        return self.absent.get("ehrsql_mimic_iv" if base == RELEASED else base, "")


def slots_of(wording: str) -> tuple[str, ...]:
    """Every slot of a wording but times, in order, each once.

    >>> slots_of("How old [is|was] patient {patient_id} {global1}?")
    ('patient_id',)
    """
    spoken = dict.fromkeys(slot[2] for slot in SLOT.finditer(wording))
    return tuple(slot for slot in spoken if slot not in {*TIME_SLOTS, *_SPOKEN_TIMES})


@cache
def all_question_templates() -> tuple[QuestionTemplate, ...]:
    """The answerable templates: the paper's 174, and the four that EHRSQL 2024 adds.

    Table 7 prints 178 lines. Three stand there twice (how a drug is taken in, how many visits, when
    a drug was given by a route), and the first of two on the change of weight is the second with
    its other value missing.

    >>> len([template for template in all_question_templates() if not template.released])
    174
    """
    return tuple(_read())


def question_template(id: str) -> QuestionTemplate:
    """The template of that name.

    Raises:
        KeyError: If there is none.
    """
    return {template.id: template for template in all_question_templates()}[id]


def templates_for(schema: str) -> tuple[QuestionTemplate, ...]:
    """The templates that a schema can answer."""
    templates = all_question_templates()
    return tuple(template for template in templates if not template.why_not(schema))


def _read() -> Iterator[QuestionTemplate]:
    for name in _FILES:
        content = read_toml(__package__, f"templates/{name}.toml")
        for entry in content["template"]:
            yield _template(content["scope"], entry)


def _template(scope: Literal["none", "single", "group"], entry: dict[str, Any]) -> QuestionTemplate:
    departments = tuple(entry["departments"])
    return QuestionTemplate(**{**entry, "scope": scope, "departments": departments})
