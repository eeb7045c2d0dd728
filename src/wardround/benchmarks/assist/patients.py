"""The patient of a session: recorded, scripted, or played by a language model."""

from wardround.benchmarks.assist.tasks import Language, Literacy, SessionGold
from wardround.people.patient.answers import Patient
from wardround.people.patient.replay import RecordedAnswer, ReplayPatient


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
