"""The patient of a session: recorded answers, or a script that speaks from the memory."""

from wardround.benchmarks.assist.tasks import Language, Literacy, SessionGold
from wardround.people.patient.answers import Patient
from wardround.people.patient.memory import PatientMemory
from wardround.people.patient.replay import RecordedAnswer, ReplayPatient
from wardround.people.patient.scripted import ScriptedPatient


def replayed(gold: SessionGold, language: Language, literacy: Literacy) -> Patient:
    """A patient who repeats the session's recorded answers in one language and literacy.

    A published session has no Chinese answers; its English ones are not said in a Chinese session.
    """
    recorded = [
        RecordedAnswer(each.tool, each.arguments, each.texts[language][literacy])
        for each in gold.patient_answers
        if each.texts.get(language)
    ]
    return ReplayPatient(recorded, language)


def scripted(gold: SessionGold, language: Language, literacy: Literacy) -> Patient:
    """A patient who speaks from the session's memory.

    Raises:
        ValueError: the session has no memory.
    """
    if gold.memory is None:
        raise ValueError(f"The session {gold.session} has no memory of its patient.")
    return ScriptedPatient(PatientMemory.model_validate(gold.memory), language, literacy)
