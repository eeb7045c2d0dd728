"""The part of a report or note that a question is about."""

import re
from collections.abc import Iterable, Iterator

from wardround.agents.clerk.names import find_terms, groups, section_name
from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Document
from wardround.agents.clerk.wordings import term
from wardround.ehr.terms.chinese import TermKind as VocabularyKind
from wardround.ehr.text.language import Language
from wardround.ehr.text.segments import sentences, texts

_HEADING = re.compile(r"^([A-Z][A-Za-z' /]+):[ ]*", re.MULTILINE)
_FURTHER = {"Service", "Attending", "Pertinent Results", "Facility"}
_IMPRESSION = ("IMPRESSION", "FINDINGS")
# The vocabularies of terms that are shown in Chinese.
_TRANSLATED: dict[str, VocabularyKind] = {
    "drug": "drug",
    "diagnosis": "diagnosis",
    "symptom": "diagnosis",
    "pain": "diagnosis",
    "test": "test",
    "scan": "service",
}
_MOST_SENTENCES, _LETTERS = 3, 700
_WORD = re.compile(r"[a-z]{4,}")


def excerpt(question: Question, document: Document) -> str:
    """The words of a document that a question is about; empty if there are none."""
    return _localized(question.language, _chosen(question, document))


def _chosen(question: Question, document: Document) -> str:
    text = document.text
    if document.kind == "DiagnosticReport":
        return _impression(text)
    if document.kind == "CarePlan":
        return _one_line(text)
    wanted = [groups()["section", name].members[0] for name in question.names("section")]
    parts = dict(_sections(text))
    sections = [f"{name}: {_one_line(parts[name])}" for name in wanted if parts.get(name)]
    return " ".join(sections) or " ".join(_closest(question, text))[:_LETTERS]


def titled(question: Question, document: Document) -> str:
    """The title of a document, a report's with the name of the examination."""
    title = document.title.replace(".", "")
    named = tuple(each.name for each in find_terms(title) if each.kind == "scan")
    scans = named or question.names("scan")
    if document.kind != "DiagnosticReport" or len(set(scans)) != 1:
        return section_name(title, question.language)
    return f"{term(question.language, scans[0], 'service')} ({title})"


def wanted_plans(question: Question, documents: Iterable[Document]) -> list[Document]:
    """The parts of a plan that a question names; all if it names none."""
    listed = list(documents)
    names = {groups()["section", name].members[0] for name in question.names("section")}
    return [each for each in listed if each.title in names] or listed


def _localized(language: Language, text: str) -> str:
    """A text in English, in Chinese sessions with the names of its terms in Chinese."""
    if language == "en":
        return text
    for each in reversed(find_terms(text)):
        kinds = _TRANSLATED.get(each.kind)
        name = term(language, each.name, kinds) if kinds else each.name
        if name != each.name:
            text = text[: each.start] + name + text[each.end :]
    return text


def section(text: str, heading: str) -> str:
    """A section of a note; empty if it has none."""
    return dict(_sections(text)).get(heading, "")


def _impression(text: str) -> str:
    """The impression of a report, else its findings, else the beginning of its text."""
    parts = dict(_sections(text))
    impressions = (parts.get(name, "") for name in _IMPRESSION)
    return _one_line(next(filter(None, impressions), text[:_LETTERS]))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """The sections of a text; lines such as "Mental Status: clear" are not headings."""
    section_titles = {each.members[0] for (kind, _), each in groups().items() if kind == "section"}
    matches = _HEADING.finditer(text)
    headings = [
        each for each in matches if each[1].isupper() or each[1] in section_titles | _FURTHER
    ]
    starts = [each.start() for each in headings]
    ends = [*starts[1:], len(text)] if headings else []
    for heading, end in zip(headings, ends, strict=True):
        yield heading[1], text[heading.end() : end].strip()


def _closest(question: Question, text: str) -> list[str]:
    """The sentences that share the most terms and words with a question, in order."""
    names: set[tuple[str, str]] = {(each.kind, each.name) for each in question.terms}
    words = set(_WORD.findall(question.text.lower()))
    scored = [
        (_shared(sentence, names, words), index, sentence)
        for index, sentence in enumerate(texts(text, sentences(text, "en")))
    ]
    best = sorted(scored, key=lambda each: (-each[0], each[1]))[:_MOST_SENTENCES]
    return [sentence for shared, _, sentence in sorted(best, key=lambda e: e[1]) if shared]


def _shared(sentence: str, names: set[tuple[str, str]], words: set[str]) -> int:
    terms = {(each.kind, each.name) for each in find_terms(sentence)} if names else set()
    return 2 * len(names & terms) + len(words & set(_WORD.findall(sentence.lower())))


def _one_line(text: str) -> str:
    return ", ".join(line.strip().rstrip(",") for line in text.split("\n") if line.strip())
