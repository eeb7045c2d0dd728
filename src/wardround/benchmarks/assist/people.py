"""The patients of sessions: recorded answers, a script over a memory, or a language model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from wardround.benchmarks.assist.declaration import AssistOptions
from wardround.benchmarks.assist.sessions import Session, SessionGold
from wardround.benchmarks.assist.tools.catalogue import ASK
from wardround.benchmarks.assist.turns import PATIENT_SPOKE, patient_words
from wardround.core.benchmark import TrialContext
from wardround.core.errors import InfraError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Noted, Trajectory
from wardround.models.roles import Models
from wardround.people.patient.answers import Patient, PatientSpeech
from wardround.people.patient.memory import PatientMemory
from wardround.people.patient.model import ModelPatient
from wardround.people.patient.replay import RecordedAnswer, ReplayPatient
from wardround.people.patient.scripted import ScriptedPatient

REPLAY, SCRIPT, MODEL = "replay", "script", "model"
Patients: TypeAlias = Callable[[SessionGold, TrialContext], Patient]


def patient_kind(options: AssistOptions, gold: SessionGold) -> str:
    """The kind of a session's patient; by default a script where there is a memory."""
    return options.patient or (REPLAY if gold.memory is None else SCRIPT)


def with_memory(task: Session, memories: Mapping[int, PatientMemory]) -> Session:
    """A session with its own memory, or with its patient's among others."""
    memory = memories.get(task.hidden.subject)
    if task.hidden.memory is not None or memory is None:
        return task
    return replace(task, hidden=replace(task.hidden, memory=memory.model_dump(mode="json")))


def open_patients(options: AssistOptions, models: Models) -> Patients:
    """The patients as a run is set; what each says is noted in the trajectory.

    Raises:
        UserError: a patient on a model was asked for, and there is no model.
    """
    model = models.open("patient") if options.patient == MODEL else None

    def played(gold: SessionGold, context: TrialContext) -> Patient:
        if context.recorded is not None:
            return RepeatedPatient(context.recorded)
        if patient_kind(options, gold) == REPLAY:
            return _replayed(gold, options)
        memory = PatientMemory.model_validate(gold.memory)
        if model is None:
            return ScriptedPatient(memory, options.language, options.literacy)
        seed = derive_seed(context.seed, "patient")
        speaker = model.bind("patient", context.trajectory.record, seed)
        return ModelPatient(speaker, memory, options.language, options.literacy)

    return lambda gold, context: _NotedPatient(played(gold, context), context.trajectory)


@dataclass(frozen=True, slots=True)
class _NotedPatient:
    """Notes a patient's answers, and the rules that a model broke where the script answered."""

    patient: Patient
    trajectory: Trajectory

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        speech = await self.patient.answer(subject, arguments)
        tool, text = f"{ASK}{subject}", speech.text
        data: dict[str, Any] = {"tool": tool, "text": text, "outcome": speech.outcome}
        if speech.broken:
            data["broken"] = list(speech.broken)
        self.trajectory.record(Noted(PATIENT_SPOKE, data))
        return speech


class RepeatedPatient:
    """Repeats a recorded trial's answers in order, when the trial is replayed."""

    def __init__(self, recorded: Trajectory) -> None:
        self._words = iter(patient_words(recorded))

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """The next recorded answer.

        Raises:
            InfraError: the recorded patient answered no more.
        """
        text = next(self._words, None)
        if text is None:
            raise InfraError("the recorded patient answered no more")
        return PatientSpeech(text)


def _replayed(gold: SessionGold, options: AssistOptions) -> Patient:
    """A patient who repeats the session's recorded answers in one language and literacy.

    A published session has no Chinese answers; its English ones are not said in a Chinese session.
    """
    recorded = [
        RecordedAnswer(
            each.tool.removeprefix(ASK),
            each.arguments,
            each.texts[options.language][options.literacy],
        )
        for each in gold.patient_answers
        if each.texts.get(options.language)
    ]
    return ReplayPatient(recorded, options.language)
