"""The question templates of EHRSQL, with their wordings, forms of SQL and slots."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from wardround.authoring.ehrsql.templates.slot_choices import all_operations
from wardround.authoring.slots import SLOT
from wardround.core.packaged_data import read_toml

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
        question: wardround's wording, with slots (see the files of `templates/`).
        departments: the departments that would ask it, assigned by wardround.
        paraphrases: wardround's other wordings.
        form: the name of its SQL form; "" if it is unanswerable (3.1.1).
        category: the reason why it is unanswerable, such as "appointments".
        scope: the patients it is about: none, a single patient, or a group.
        importance: the rating by the paper's physician (F).
        event, then: the kind of event it is about, and of the event that follows.
        named_by, then_named_by: the events' slots, if both are of the same kind.
        global1, global2, within, exact1, exact2: names of sets of time templates, "" for none.
        assumption: an assumption about the records (Table 7 and C.1).
        absent: reasons why layouts that have its records cannot answer it, by layout.
        released: True if EHRSQL 2024 has it, but the paper does not.
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
        """All wordings, the template's own first."""
        return (self.question, *self.paraphrases)

    @property
    def slots(self) -> tuple[str, ...]:
        """The distinct slots of its wording in order, without time slots."""
        slots = dict.fromkeys(slot[2] for slot in SLOT.finditer(self.question))
        return tuple(slot for slot in slots if slot not in {*TIME_SLOTS, *_MEASURED})

    @property
    def operations(self) -> tuple[str, ...]:
        """The slots that take an operation (Table 9)."""
        return tuple(slot for slot in self.slots if slot in all_operations())

    @property
    def values(self) -> tuple[str, ...]:
        """The slots that take a value of the database (Table 10)."""
        return tuple(slot for slot in self.slots if slot not in all_operations())

    @property
    def times(self) -> Mapping[str, str]:
        """The names of its sets of time templates, by time slot."""
        named = {slot: getattr(self, slot) for slot in TIME_SLOTS}
        return {slot: name for slot, name in named.items() if name}


@cache
def all_templates() -> Mapping[str, QuestionTemplate]:
    """Returns all templates by id, answerable ones first.

    >>> all_templates()["drug-route"].wordings[0]
    'By which route is {drug_name} given?'
    """
    templates = (*all_question_templates(), *unanswerable_templates())
    return {template.id: template for template in templates}


@cache
def all_question_templates() -> tuple[QuestionTemplate, ...]:
    """Returns the answerable templates: the paper's 174 and the four added by EHRSQL 2024.

    Table 7 prints 178 lines. Three are duplicates (route of a drug, number of visits, time of a
    drug by route), and the first of two on the change of weight is the second with a value
    missing.

    >>> len([template for template in all_question_templates() if not template.released])
    174
    """
    return tuple(template for name in _ANSWERABLE for template in _read(name))


@cache
def unanswerable_templates() -> tuple[QuestionTemplate, ...]:
    """Returns the templates of unanswerable questions.

    >>> sorted({template.category for template in unanswerable_templates()})[:3]
    ['ambiguous', 'appointments', 'consent']
    """
    return _read("unanswerable")


def question_template(id: str) -> QuestionTemplate:
    """Returns the template with an id.

    Raises:
        KeyError: there is none.
    """
    return all_templates()[id]


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
    """Reads the packaged paraphrases, by template id."""
    contents = (read_toml(__package__, f"paraphrases/{name}.toml") for name in _PARAPHRASES)
    return {
        id: tuple(lines.strip().splitlines()) for each in contents for id, lines in each.items()
    }
