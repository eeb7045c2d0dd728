"""Rewords a patient's answers for each health literacy; each keeps all that the rule's says."""

from asyncio import Runner
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wardround.authoring.assist.facts.sources import Computed, Source, Told
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.rewording.fidelity import changed_facts, form_faults
from wardround.authoring.assist.rewording.rewriter import ANSWER, Rewriter
from wardround.authoring.assist.session_lines import Session, Words
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES, Language
from wardround.ehr.text.cues import negations
from wardround.ehr.text.segments import sentences

_ASKS = ("?", "\uff1f")
TRIES = 2  # the second request tells why the first wording was refused


@dataclass(frozen=True, slots=True)
class PatientWordings:
    """Rewords patients' answers.

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
        """A session with the answers that pass; each refused one is counted with its reason."""
        for number, call in enumerate(session.patient_calls):
            turn = next(n for n, draft in enumerate(session.drafts) if call in draft.calls)
            counts.tried("patient", session.cell.arc[turn : turn + 1])
            reason = ""
            for _ in range(TRIES):
                words = self._words(session, number, reason)
                reason = self._refusal(session, number, words, gate_faults)
                if words and not reason:
                    session = self._with(session, number, words)
                    break
                counts.refused(Fault("patient", reason, turn), session.cell.arc)
        return session

    def _words(self, session: Session, number: int, refusal: str) -> Words | None:
        old = session.patient_words[number]
        asked = self.rewriter.patient_wording(f"{session.name} patient {number}", old, refusal)
        answer = self.runner.run(asked)
        return answer.texts() if answer else None

    def _with(self, session: Session, number: int, words: Words) -> Session:
        """The session with words for an answer, which its sources then quote."""
        known = session.patient_words
        old, new = (_sentences(each["en"]["high"], "en") for each in (known[number], words))
        quotes = dict(zip(old, new, strict=True))
        writer = self.rewriter.writer.settings.name
        return replace(
            session,
            texts=tuple(_quoting(texts, quotes) for texts in session.texts),
            words=(*known[:number], words, *known[number + 1 :]),
            words_writer=writer,
        )

    def _refusal(
        self,
        session: Session,
        number: int,
        words: Words | None,
        gate_faults: Callable[[Session], Sequence[Fault]],
    ) -> str:
        """The first reason to refuse the words of an answer; "" if there is none."""
        if words is None:
            return "the writer gives no wording"
        old = session.patient_words[number]
        if reason := next(answer_faults(old, words), ""):
            return reason
        if gated := gate_faults(self._with(session, number, words)):
            return gated[0].reason
        name = f"{session.name} patient {number}"
        faults = (
            self._meaning_fault(f"{name} {level}", *(_level(each, level) for each in (old, words)))
            for level in old["en"]
        )
        return next(filter(None, faults), "")

    def _meaning_fault(self, name: str, old: Mapping[str, str], new: Mapping[str, str]) -> str:
        """The reason why the checker refuses an answer, with its Chinese translated back."""
        back = self.runner.run(self.rewriter.english(name, new["zh"], ANSWER))
        if back is None:
            return "the writer gives no translation"
        if any(changed_facts(old["en"], back, "en")):
            return "the translation back has other facts"
        same = self.runner.run(self.rewriter.same(name, [old["en"], new["en"], back], ANSWER))
        if same is None:
            return "the checker gives no verdict"
        return "" if same else "the checker says that something else is said"


def _level(words: Words, level: str) -> dict[str, str]:
    """The answer of one literacy, by language."""
    return {language: texts[level] for language, texts in words.items()}  # type: ignore[index]


def answer_faults(old: Words, new: Words) -> Iterator[str]:
    """The reasons why a patient's answer in other words is none, is alike, or says other things.

    Facts are compared sentence by sentence.
    """
    for language in LANGUAGES:
        texts = new[language]
        if texts == old[language]:
            yield "the writer changes nothing"
        if len(set(texts.values())) < len(texts):
            yield "two literacies are alike"
        for literacy, text in texts.items():
            before, after = (_sentences(each, language) for each in (old[language][literacy], text))
            if len(before) != len(after):
                yield "an answer has another number of sentences"
            for one, other in zip(before, after, strict=False):
                yield from _sentence_faults(one, other, language)


def _sentence_faults(old: str, new: str, language: Language) -> Iterator[str]:
    yield from form_faults(new, language)
    if new.endswith(_ASKS) and not old.endswith(_ASKS):
        yield "the patient asks something"
    yield from changed_facts(old, new, language)
    if len(negations(old, language)) != len(negations(new, language)):
        yield "a wording has another negation"


def _sentences(text: str, language: Language) -> list[str]:
    return [span.of(text).strip() for span in sentences(text, language)]


def _quoting(texts: TurnTexts, quotes: Mapping[str, str]) -> TurnTexts:
    """The texts of a turn whose sources quote the patient's new sentences."""
    items = tuple(
        replace(item, sources=tuple(_requoted(source, quotes) for source in item.sources))
        for item in texts.items
    )
    return replace(texts, items=items)


def _requoted(source: Source, quotes: Mapping[str, str]) -> Source:
    match source:
        case Told(quote=quote):
            return replace(source, quote=quotes.get(quote, quote))
        case Computed(of=of):
            return replace(source, of=tuple(_requoted(each, quotes) for each in of))  # type: ignore[misc]
        case _:
            return source
