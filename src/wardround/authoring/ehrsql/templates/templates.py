"""The question templates of EHRSQL, each with its wordings, its form of SQL and its slots."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from wardround.authoring.ehrsql.templates.records import RELEASED, base_schema
from wardround.authoring.ehrsql.templates.slot_choices import all_operations
from wardround.authoring.slots import SLOT
from wardround.core.packaged_data import read_toml

SCHEMAS = ("ehrsql_mimic_iii", "ehrsql_mimic_iv", "ehrsql_eicu", "mimic_iv_star", "eicu_star")

TIME_SLOTS = ("global1", "global2", "within", "exact1", "exact2")
_ANSWERABLE = ("no_patient", "one_patient", "many_patients")
_PARAPHRASES = (
    "no_patient", "one_patient", "more_of_one_patient", "many_patients", "unanswerable",
)  # fmt: skip
# Slots of a wording that hold an exact time and a visit together.
_MEASURED = {"moment2", "value1"}


@dataclass(frozen=True)
class QuestionTemplate:
    """One kind of question.

    Attributes:
        question: Our wording, with slots (see the files of `templates/`).
        departments: Who in a hospital asks it; our judgement.
        paraphrases: Our other wordings.
        form: The name of its SQL; "" where records cannot answer it (3.1.1).
        category: Why they cannot: "external knowledge", "appointments" …
        scope: Whom it is about: no patient, one, or a group.
        importance: As a physician rated it for the paper (F).
        event, then: The event that it is about, and for two events the one that follows.
        named_by, then_named_by: Their slots, where they are of one kind.
        global1, global2, within, exact1, exact2: Names of sets of time templates, "" for none.
        assumption: An assumption about the records (Table 7 and C.1).
        absent: Why a schema cannot answer it, by schema.
        released: The paper does not have it; EHRSQL 2024 does.
    """

    id: str
    question: str
    departments: tuple[str, ...]
    paraphrases: tuple[str, ...] = field(default=(), hash=False)
    form: str = ""
    category: str = ""
    scope: Literal["none", "single", "group"] = "none"
    importance: Literal["high", "medium", "low", "n/a"] = "n/a"
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
    def wordings(self) -> tuple[str, ...]:
        """Every wording, the template's own first."""
        return (self.question, *self.paraphrases)

    @property
    def slots(self) -> tuple[str, ...]:
        """Every slot of its wording but times, in order, each once."""
        slots = dict.fromkeys(slot[2] for slot in SLOT.finditer(self.question))
        return tuple(slot for slot in slots if slot not in {*TIME_SLOTS, *_MEASURED})

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


@cache
def all_templates() -> Mapping[str, QuestionTemplate]:
    """Every template by its id, answerable ones first.

    >>> all_templates()["drug-route"].wordings[0]
    'By which route is {drug_name} given?'
    """
    templates = (*all_question_templates(), *unanswerable_templates())
    return {template.id: template for template in templates}


@cache
def all_question_templates() -> tuple[QuestionTemplate, ...]:
    """The answerable templates: the paper's 174, and the four that EHRSQL 2024 adds.

    Table 7 prints 178 lines. Three stand there twice (how a drug is taken in, how many visits, when
    a drug was given by a route), and the first of two on the change of weight is the second with
    its other value missing.

    >>> len([template for template in all_question_templates() if not template.released])
    174
    """
    return tuple(template for name in _ANSWERABLE for template in _read(name))


@cache
def unanswerable_templates() -> tuple[QuestionTemplate, ...]:
    """The templates of questions that records cannot answer.

    >>> sorted({template.category for template in unanswerable_templates()})[:3]
    ['ambiguous', 'appointments', 'consent']
    """
    return _read("unanswerable")


def question_template(id: str) -> QuestionTemplate:
    """The template of that name.

    Raises:
        KeyError: If there is none.
    """
    return all_templates()[id]


def templates_for(schema: str) -> tuple[QuestionTemplate, ...]:
    """The templates that a schema can answer."""
    templates = all_question_templates()
    return tuple(template for template in templates if not template.why_not(schema))


def _read(name: str) -> tuple[QuestionTemplate, ...]:
    content = read_toml(__package__, f"templates/{name}.toml")
    return tuple(_template(content.get("scope", "none"), entry) for entry in content["template"])


def _template(scope: str, entry: dict[str, Any]) -> QuestionTemplate:
    departments, paraphrases = (
        tuple(entry["departments"]),
        packaged_paraphrases().get(entry["id"], ()),
    )
    fields = {"scope": scope, "departments": departments, "paraphrases": paraphrases}
    return QuestionTemplate(**{**entry, **fields})


@cache
def packaged_paraphrases() -> Mapping[str, tuple[str, ...]]:
    """The paraphrases of each template, by its id."""
    contents = (read_toml(__package__, f"paraphrases/{name}.toml") for name in _PARAPHRASES)
    return {
        id: tuple(lines.strip().splitlines()) for each in contents for id, lines in each.items()
    }
