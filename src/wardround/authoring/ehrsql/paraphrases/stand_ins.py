"""The words that fill the slots of a question template while a model rewords it."""

from collections.abc import Mapping, Sequence

from wardround.authoring.ehrsql.paraphrases.templates import Template
from wardround.authoring.ehrsql.questions import wordings
from wardround.authoring.slots import SLOT, StandIns, in_tense, without_known
from wardround.core.packaged_data import read_toml


def stand_ins(template: Template) -> StandIns:
    """Returns the words for each slot of a template, without those that its wordings say.

    >>> from wardround.authoring.ehrsql.templates import question_template
    >>> names = stand_ins(question_template("has-drug"))
    >>> names.filled("[Has|Was] patient {patient_id} [been given|given] {drug_name} {global1}?")
    'Has patient 10027 been given aspirin since 2019?'
    >>> names.restored("Aspirin since 2019, for patient 10027?")
    '{drug_name} {global1}, for patient {patient_id}?'
    """
    known = wordings(template.id)
    question = in_tense(template.question, over=False)
    slots = dict.fromkeys(slot[2] for slot in SLOT.finditer(question))
    words = {slot: without_known(_words(slot, template.times), known) for slot in slots}
    return StandIns(words, tense="|" in template.question)


def _words(slot: str, times: Mapping[str, str]) -> Sequence[str]:
    stored = read_toml(__package__, "standins.toml")
    by_time = stored["times"]
    words: Sequence[str] = by_time.get(times.get(slot, ""), by_time.get(slot, ()))
    return words or stored["slots"][slot]
