"""Rewords the questions of a session that passed its gates; each keeps all that the rule's asks."""

from asyncio import Runner
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Literal, TypeAlias

from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.rewording.fidelity import Refusal, changed_facts, form_faults
from wardround.authoring.assist.rewording.patient_wordings import PatientWordings
from wardround.authoring.assist.rewording.rewriter import QUESTION, Request, Rewriter
from wardround.authoring.assist.rewording.text_wordings import TextWordings
from wardround.authoring.assist.session_lines import Session
from wardround.benchmarks.assist.sessions import LANGUAGES, TURNS, Language

Twin: TypeAlias = Literal["explicit", "question"]
TWINS: tuple[Twin, ...] = ("explicit", "question")


@dataclass(frozen=True, slots=True)
class SessionWordings:
    """Rewords sessions.

    Attributes:
        rewriter: the models.
        runner: runs their requests.
    """

    rewriter: Rewriter
    runner: Runner

    def reworded(
        self,
        session: Session,
        gate_faults: Callable[[Session], Sequence[Fault]],
        counts: GateCounts,
    ) -> Session:
        """A session with the wordings that pass; each refused one is counted with its reason.

        Args:
            session: a session that passed the gates.
            gate_faults: the faults of a session at these gates.
            counts: the counts of the questions.
        """
        for turn in range(TURNS):
            # The first question has no implicit twin.
            for twin, language in product(TWINS if turn else TWINS[:1], LANGUAGES):
                counts.tried("rewording", session.cell.arc[turn : turn + 1])
                session = self._reworded(session, turn, twin, language, gate_faults, counts)
        return self.patient.reworded(session, gate_faults, counts)

    @property
    def patient(self) -> PatientWordings:
        """Rewords the patient's answers."""
        return PatientWordings(self.rewriter, self.runner)

    def _reworded(
        self,
        session: Session,
        turn: int,
        twin: Twin,
        language: Language,
        gate_faults: Callable[[Session], Sequence[Fault]],
        counts: GateCounts,
    ) -> Session:
        """The session with one question in the writer's words, if they pass."""
        place = partial(self._placed, session, turn, twin, language)
        texts = session.texts[turn]
        old = texts.explicit if twin == "explicit" else texts.question
        request = Request(f"{session.name} {turn} {twin} {language}", language, old)

        def faults(text: str) -> Iterator[Refusal]:
            yield from form_faults(text, language)
            yield from changed_facts(old[language], text, language)
            yield from (Refusal(fault.reason) for fault in gate_faults(place(text)))

        def refuse(reason: str) -> None:
            counts.refused(Fault("rewording", reason, turn), session.cell.arc)

        text = TextWordings(self.rewriter, self.runner, QUESTION).reworded(request, faults, refuse)
        return place(text) if text else session

    def _placed(
        self, session: Session, turn: int, twin: Twin, language: Language, text: str
    ) -> Session:
        """The session with a text for a question; the first turn asks its explicit question."""
        texts = session.texts[turn]
        explicit, question = texts.explicit, texts.question
        if twin == "explicit":
            explicit = {**explicit, language: text}
        if twin == "question" or not turn:
            question = {**question, language: text}
        writer = self.rewriter.writer.settings.name
        placed = replace(texts, explicit=explicit, question=question, writer=writer)
        return replace(session, texts=(*session.texts[:turn], placed, *session.texts[turn + 1 :]))
