"""What is wrong with a new wording of a template, in words; nothing where it may be asked."""

import re
from collections import Counter
from collections.abc import Sequence

from wardround.authoring.ehrsql.paraphrases.kept_words import added, lost
from wardround.authoring.ehrsql.paraphrases.similarity import plain, same_words
from wardround.authoring.ehrsql.paraphrases.stand_ins import SLOT
from wardround.authoring.ehrsql.paraphrases.template_wordings import Asked, all_said
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.ehrsql.templates.grammar import in_tense

_LEFT_OUT = ("global1", "global2", "within")
_FORMS = (
    (r"^.*\S.*$", "is empty", False),
    (r"[{}\[\]|<>@#*_`\t\n]", "has a mark that is no part of a question", True),
    (r"\d", "has a number that the template does not have", True),
    (r"[?.]$", "ends in neither ? nor .", False),
    (r"[?.!]\s", "is more than one sentence", True),
    (r"^[A-Z]", "does not begin with a capital", False),
    (r"  | [?.,]", "has a gap", True),
)


def fault_of(wording: str, asked: Asked, others: Sequence[str] = ()) -> str:
    """The first step that a wording does not pass, and why; "" if it passes all.

    Args:
        wording: The new one.
        asked: Its template.
        others: Wordings of the same template beside those that come with it.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> fault_of("Is patient {patient_id} female or male?", question_template("gender"))
    'double: has the words of "Is patient {patient_id} male or female?"'
    """
    if fault := broken(wording, asked):
        return f"form: {fault}"
    if fault := doubled(wording, asked, others):
        return f"double: {fault}"
    return f"words: {fault}" if (fault := turned(wording, asked)) else ""


def broken(wording: str, asked: Asked) -> str:
    """What keeps a wording from being asked at all: its slots, its form.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> broken("Is {patient_id} a man?", question_template("gender"))
    ''
    >>> broken("Is patient 7 a man?", question_template("gender"))
    'lacks {patient_id}'
    """
    for over in (False, True):
        if fault := _slots(in_tense(wording, over), in_tense(asked.question, over)):
            return fault
    return _form(wording)


def turned(wording: str, asked: Asked) -> str:
    """What of time, order, comparison and counting a wording lost, or added to its template.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> turned("What was the last sex of patient {patient_id}?", question_template("gender"))
    'adds: last'
    """
    known = wordings(asked.id)
    faults = (("loses", lost(wording, known)), ("adds", added(wording, known)))
    return "; ".join(f"{what}: {', '.join(sorted(things))}" for what, things in faults if things)


def doubled(wording: str, asked: Asked, others: Sequence[str] = ()) -> str:
    """Where a wording is already, among the template's and others, or as another template's.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> doubled("What does the drug {drug_name} cost?", question_template("drug-route"))
    'is a wording of drug-cost'
    """
    if (there := all_said().get(plain(wording))) and there != asked.id:
        return f"is a wording of {there}"
    every = (*wordings(asked.id), *others)
    if plain(wording) in map(plain, every):
        return "is there already"
    return next((f'has the words of "{one}"' for one in every if same_words(wording, one)), "")


def _slots(wording: str, question: str) -> str:
    found = Counter(slot[2] for slot in SLOT.finditer(wording))
    wanted = Counter(slot[2] for slot in SLOT.finditer(question))
    faults = (
        ("lacks", wanted - found),
        ("has twice", Counter(slot for slot in found if found[slot] > 1)),
        ("invents", Counter(slot for slot in found if slot not in wanted)),
    )
    said = (f"{what} {{{slot}}}" for what, slots in faults for slot in sorted(slots))
    return next(said, "")


def _form(wording: str) -> str:
    first = SLOT.match(wording)
    if first and first[2] in _LEFT_OUT:
        return f"begins with {first[0]}, which may be left out"
    bare = SLOT.sub("X", in_tense(wording, over=False))
    faults = (what for form, what, is_fault in _FORMS if bool(re.search(form, bare)) is is_fault)
    return next(faults, "")
