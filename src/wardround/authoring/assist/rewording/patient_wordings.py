"""Rewords a patient's answers for each health literacy; each keeps all that the rule's says."""

from asyncio import Runner
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

from wardround.authoring.assist.facts.sources import Computed, Source, Told
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.rewording.fidelity import Refusal, changed_facts, form_faults
from wardround.authoring.assist.rewording.rewriter import ANSWER, Request, Rewriter
from wardround.authoring.assist.rewording.text_wordings import TextWordings
from wardround.authoring.assist.session_lines import Session, Words
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import LANGUAGES, LITERACIES, Language, Literacy
from wardround.ehr.text.cues import negations
from wardround.ehr.text.segments import sentences

_ASKS = ("?", "\uff1f")


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
        answers = range(len(session.patient_calls))
        for number, literacy, language in product(answers, LITERACIES, LANGUAGES):
            session = self._reworded(session, number, literacy, language, gate_faults, counts)
        return session

    def _reworded(
        self,
        session: Session,
        number: int,
        literacy: Literacy,
        language: Language,
        gate_faults: Callable[[Session], Sequence[Fault]],
        counts: GateCounts,
    ) -> Session:
        """The session with one answer for one literacy in the writer's words, if they pass."""
        call = session.patient_calls[number]
        turn = next(n for n, draft in enumerate(session.drafts) if call in draft.calls)
        counts.tried("patient", session.cell.arc[turn : turn + 1])
        known = session.patient_words[number]
        old = {each: known[each][literacy] for each in LANGUAGES}
        place = partial(self._placed, session, number, literacy, language)
        name = f"{session.name} patient {number} {literacy} {language}"

        def faults(text: str) -> Iterator[Refusal]:
            if text in known[language].values():
                yield Refusal("two literacies are alike")
            yield from answer_faults(old[language], text, language)
            yield from (Refusal(fault.reason) for fault in gate_faults(place(text)))

        def refuse(reason: str) -> None:
            counts.refused(Fault("patient", reason, turn), session.cell.arc)

        request = Request(name, language, old, manner=literacy)
        text = TextWordings(self.rewriter, self.runner, ANSWER).reworded(request, faults, refuse)
        return place(text) if text else session

    def _placed(
        self, session: Session, number: int, literacy: Literacy, language: Language, text: str
    ) -> Session:
        """The session with a text for an answer, which its sources then quote."""
        known = session.patient_words
        words: Words = {
            **known[number],
            language: {**known[number][language], literacy: text},
        }
        old, new = (_sentences(each["en"]["high"], "en") for each in (known[number], words))
        quotes = dict(zip(old, new, strict=True))
        return replace(
            session,
            texts=tuple(_quoting(texts, quotes) for texts in session.texts),
            words=(*known[:number], words, *known[number + 1 :]),
            words_writer=self.rewriter.writer.settings.name,
        )


def answer_faults(old: str, new: str, language: Language) -> Iterator[Refusal]:
    """The reasons why a patient's answer in other words is none, or says other things.

    Facts are compared sentence by sentence.
    """
    before, after = (_sentences(each, language) for each in (old, new))
    if len(before) != len(after):
        yield Refusal("an answer has another number of sentences")
    for one, other in zip(before, after, strict=False):
        yield from _sentence_faults(one, other, language)


def _sentence_faults(old: str, new: str, language: Language) -> Iterator[Refusal]:
    yield from form_faults(new, language)
    if new.endswith(_ASKS) and not old.endswith(_ASKS):
        yield Refusal("the patient asks something")
    yield from changed_facts(old, new, language)
    if len(negations(old, language)) != len(negations(new, language)):
        yield Refusal("a wording has another negation")


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
