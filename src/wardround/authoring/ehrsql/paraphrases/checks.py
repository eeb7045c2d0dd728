"""Checks of a template's new wording: form, novelty, words of time and counting."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from wardround.authoring.ehrsql.templates import QuestionTemplate, all_templates
from wardround.authoring.rewording.comparison import (
    added_qualifiers,
    lost_qualifiers,
    plain,
    same_words,
)
from wardround.authoring.rewording.pipeline import Check
from wardround.authoring.slots import SLOT, in_tense

# Time slots, which are empty in a question without a time.
_OPTIONAL = ("global1", "global2", "within")
# (pattern, fault, is_fault): True if a match is the fault, False if no match is.
_FORMS = (
    (r"^.*\S.*$", "is empty", False),
    (r"[{}\[\]|<>@#*_`\t\n]", "has a mark that is not part of a question", True),
    (r"\d", "has a number that the template does not have", True),
    (r"[?.]$", "ends in neither ? nor .", False),
    (r"[?.!]\s", "is more than one sentence", True),
    (r"^[A-Z]", "does not begin with a capital", False),
    (r"  | [?.,]", "has a gap", True),
)


def checks_of(template: QuestionTemplate) -> dict[str, Check[str]]:
    """Returns the checks of a template's new wordings by name, in order.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> checks = checks_of(question_template("gender"))
    >>> checks["double"]("Is patient {patient_id} female or male?", ())
    'has the words of "Is patient {patient_id} male or female?"'
    """
    return {
        "form": lambda wording, before: form_fault(wording, template),
        "double": lambda wording, before: double_fault(wording, template, before),
        "words": lambda wording, before: words_fault(wording, template),
    }


def form_fault(wording: str, template: QuestionTemplate) -> str:
    """Returns the fault of a wording's slots or form; "" if it has none.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> form_fault("Is {patient_id} a man?", question_template("gender"))
    ''
    >>> form_fault("Is patient 7 a man?", question_template("gender"))
    'lacks {patient_id}'
    """
    for over in (False, True):
        if fault := _slot_fault(in_tense(wording, over), in_tense(template.question, over)):
            return fault
    first = SLOT.match(wording)
    if first and first[2] in _OPTIONAL:
        return f"begins with {first[0]}, which may be left out"
    bare = SLOT.sub("X", in_tense(wording, over=False))
    faults = (fault for form, fault, is_fault in _FORMS if bool(re.search(form, bare)) is is_fault)
    return next(faults, "")


def words_fault(wording: str, template: QuestionTemplate) -> str:
    """Returns the words of time, order and counting that a wording loses or adds; "" if none.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> words_fault("What was the last sex of patient {patient_id}?", question_template("gender"))
    'adds: last'
    """
    known = template.wordings
    faults = (
        ("loses", lost_qualifiers(wording, known)),
        ("adds", added_qualifiers(wording, known)),
    )
    return "; ".join(f"{verb}: {', '.join(sorted(words))}" for verb, words in faults if words)


def double_fault(wording: str, template: QuestionTemplate, before: Sequence[str] = ()) -> str:
    """Returns the known wording, of any template, that a wording repeats; "" if none.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> double_fault("What does the drug {drug_name} cost?", question_template("drug-route"))
    'is a wording of drug-cost'
    """
    if (owner := _template_of_wording().get(plain(wording))) and owner != template.id:
        return f"is a wording of {owner}"
    known = (*template.wordings, *before)
    if plain(wording) in map(plain, known):
        return "is there already"
    return next((f'has the words of "{each}"' for each in known if same_words(wording, each)), "")


def _slot_fault(wording: str, question: str) -> str:
    present = Counter(slot[2] for slot in SLOT.finditer(wording))
    wanted = Counter(slot[2] for slot in SLOT.finditer(question))
    faults = (
        ("lacks", wanted - present),
        ("has twice", Counter(slot for slot in present if present[slot] > 1)),
        ("invents", Counter(slot for slot in present if slot not in wanted)),
    )
    return next((f"{verb} {{{slot}}}" for verb, slots in faults for slot in sorted(slots)), "")


@cache
def _template_of_wording() -> Mapping[str, str]:
    """Template ids of all known wordings, by the wording's plain words."""
    templates = all_templates().values()
    return {plain(wording): each.id for each in templates for wording in each.wordings}
