"""Rewords the questions of a session that passed its gates; each keeps all that the rule's asks.

Source: PhysAssistBench, appendix H (translation there and back, with a check of the meaning).
"""

from asyncio import Runner
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.implicitness import has_name
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.rewording.fidelity import changed_facts, form_faults
from wardround.authoring.assist.rewording.patient_wordings import TRIES, PatientWordings
from wardround.authoring.assist.rewording.rewriter import Rewriter, TwinWording
from wardround.authoring.assist.session_lines import Session
from wardround.authoring.assist.wording.turn_texts import TurnTexts, reworded_texts
from wardround.benchmarks.assist.sessions import LANGUAGES, TURNS, Language


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
            counts: the counts of the turns.
        """
        for turn in range(TURNS):
            counts.tried("rewording", session.cell.arc[turn : turn + 1])
            session = self._retried(session, turn, gate_faults, counts)
        return self.patient.reworded(session, gate_faults, counts)

    @property
    def patient(self) -> PatientWordings:
        """Rewords the patient's answers."""
        return PatientWordings(self.rewriter, self.runner)

    def _retried(
        self,
        session: Session,
        turn: int,
        gate_faults: Callable[[Session], Sequence[Fault]],
        counts: GateCounts,
    ) -> Session:
        """The session with a turn reworded; the second request tells why the first was refused."""
        reason = ""
        for _ in range(TRIES):
            worded = self._worded(session, turn, reason)
            reason = self._refusal(session, worded, turn, gate_faults)
            if worded and not reason:
                return worded
            counts.refused(Fault("rewording", reason, turn), session.cell.arc)
        return session

    def _worded(self, session: Session, turn: int, refusal: str) -> Session | None:
        """The session with a turn in the writer's words; None if it gives none."""
        texts, drafts = session.texts[turn], session.drafts
        named = [entity.name for entity, _ in drafts[turn].omitted if has_name(entity)]
        implicit = texts.question if turn else None
        name, hidden = _turn_name(session, turn), list(dict.fromkeys(named))
        answer = self.runner.run(
            self.rewriter.wording(name, texts.explicit, implicit, hidden, refusal)
        )
        if answer is None:
            return None
        explicit = answer.explicit.texts()
        question = answer.implicit.texts() if isinstance(answer, TwinWording) else explicit
        day, writer = session.survey.desk.clock.date(), self.rewriter.writer.settings.name
        new = replace(texts, explicit=explicit, question=question, writer=writer)
        placed = reworded_texts(new, drafts, turn, day.isoformat())
        return replace(session, texts=(*session.texts[:turn], placed, *session.texts[turn + 1 :]))

    def _refusal(
        self,
        session: Session,
        worded: Session | None,
        turn: int,
        gate_faults: Callable[[Session], Sequence[Fault]],
    ) -> str:
        """The first reason to refuse a wording; "" if there is none."""
        if worded is None:
            return "the writer gives no wording"
        old, new = session.texts[turn], worded.texts[turn]
        if reason := next(wording_faults(old, new), ""):
            return reason
        if gated := gate_faults(worded):
            return gated[0].reason
        pairs = [(old.explicit, new.explicit), (old.question, new.question)]
        name = _turn_name(session, turn)
        faults = (self._meaning_fault(name, *pair) for pair in (pairs if turn else pairs[:1]))
        return next(filter(None, faults), "")

    def _meaning_fault(
        self, name: str, old: Mapping[Language, str], new: Mapping[Language, str]
    ) -> str:
        """The reason why the checker refuses a question, with its Chinese translated back."""
        back = self.runner.run(self.rewriter.english(name, new["zh"]))
        if back is None:
            return "the writer gives no translation"
        if any(changed_facts(old["en"], back, "en")):
            return "the translation back has other facts"
        same = self.runner.run(self.rewriter.same(name, [old["en"], new["en"], back]))
        if same is None:
            return "the checker gives no verdict"
        return "" if same else "the checker says that something else is asked"


def _turn_name(session: Session, turn: int) -> str:
    return f"{session.name} {turn}"


def wording_faults(old: TurnTexts, new: TurnTexts) -> Iterator[str]:
    """The reasons why new questions are none, are the old ones, or do not ask the same."""
    if new.explicit == old.explicit and new.question == old.question:
        yield "the writer changes nothing"
    for before, after in ((old.explicit, new.explicit), (old.question, new.question)):
        for language in LANGUAGES:
            yield from form_faults(after[language], language)
            yield from changed_facts(before[language], after[language], language)
