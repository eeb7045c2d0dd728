"""What to ask next: about words that are not understood, and about every point of a query."""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.said import Said, listed, named, says
from wardround.agents.parser.interview.showing import pieces_of, shown
from wardround.agents.parser.interview.terms import terms_in

_WORD = re.compile(r"[A-Za-z][\w'-]*")
# One figure is wanted of a request that begins so, unless it is gathered by something.
_FIGURE = re.compile(r"\b(?:how many|how often|count|number of|what is the)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|per|for each|for every|of each|each)\b", re.IGNORECASE)

# What keeps the words around it together.
_BOUND = re.compile(r" (?:of|out|from|off)(?: (?:the|our|their))? ", re.IGNORECASE)

UNCLEAR = "meaning"


class Question(NamedTuple):
    """A question to the user.

    Attributes:
        topic: What the answer tells.
        text: The question.
        about: The words of the request that it is about; "" for none.
    """

    topic: str
    text: str
    about: str = ""


def questions(
    said: Sequence[Said], asked: Collection[str], chart: Chart, strange: Collection[str]
) -> Iterator[Question]:
    """What may be asked now, the most needful first.

    Args:
        said: The request, and the answers so far.
        asked: The questions so far.
        chart: The database.
        strange: Words that the asker never met.
    """
    first, later = _points(said, chart, first=True), _points(said, chart, first=False)
    found = (*first, *_unclear(said, chart, strange), *later)
    yield from (one for one in found if one.text not in asked)


def _unclear(said: Sequence[Said], chart: Chart, strange: Collection[str]) -> Iterator[Question]:
    """About the user's own words: those taken up again, terms without definition, doubtful ones."""
    request = said[0].text
    taken_up = [words for one in said[1:] for words in repeated(one, request, chart)]
    undefined = [words for one in said[1:] for words in undefined_in(one.text, chart)]
    doubts = {words: _doubt(words, chart, strange) for words in stretches_of(request)}
    doubtful = sorted((one for one in doubts if doubts[one] > 0), key=lambda one: -doubts[one])
    template: str = _file()["unclear"]["asked"]
    for words in [*taken_up, *undefined, *doubtful]:
        yield Question(UNCLEAR, template.format(words=words), words)


def _points(said: Sequence[Said], chart: Chart, *, first: bool) -> Iterator[Question]:
    """About what has not been told: of the query's form, which is `first`, or of the rest."""
    request = said[0].text
    figure = _FIGURE.search(request) and not _BY.search(request)
    shows, _ = shown([one for one in said if not says("refused", one.text)], chart)
    known = {"measure" if show.gathers else "groups" for show in shows}
    for point in _file()["point"]:
        fits = point["of"] in ("any", "figure" if figure else "lines")
        needed = "if" not in point or re.search(point["if"], request, re.IGNORECASE)
        in_turn = point.get("first", False) == first and point.get("unknown") not in known
        if fits and needed and in_turn:
            yield Question(point["topic"], point["asked"])


def stretches_of(request: str) -> list[str]:
    """The stretches of words between those that hold a sentence together.

    >>> stretches_of("How do our older patients come in? Show them by age.")
    ['older patients', 'age']
    """
    found: list[list[re.Match[str]]] = [[]]
    for word in _WORD.finditer(request):
        small = word[0].lower() in _small()
        between = request[found[-1][-1].end() : word.start()] if found[-1] else ""
        if not small and between.strip() and not _BOUND.fullmatch(between):
            found.append([])
        if not small:
            found[-1].append(word)
    return [request[one[0].start() : one[-1].end()] for one in found if one]


def repeated(said: Said, request: str, chart: Chart) -> Iterator[str]:
    """What an answer lists in the very words of the request, and what is no column's name."""
    if said.topic != "show":
        return
    for piece in (one.split(",")[0] for one in pieces_of(said.text)):
        known = set(piece.lower().split()) <= chart.name_words or says("counted", piece)
        if re.search(rf"\b{re.escape(piece)}\b", request, re.IGNORECASE) and not known:
            yield piece


_TERM = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][a-z]{3,}(?:[ -][A-Z][a-z]+)*")
_DEFINED = re.compile(r"(\w+(?: \w+)?),? as (?:we|our)\b[^.]*\bdefin", re.IGNORECASE)


def undefined_in(text: str, chart: Chart) -> Iterator[str]:
    """Terms of an answer, or of the definitions of its terms, that nothing defines."""
    if (found := _DEFINED.search(text)) and not terms_in(found[1], chart.knowledge):
        yield found[1].split()[-1]
    waiting, seen = terms_in(text, chart.knowledge), set[str]()
    while waiting:
        name = waiting.pop()
        seen.add(name)
        inside = terms_in(chart.knowledge[name], chart.knowledge)
        waiting += [one for one in inside if one not in seen]
        for term in _TERM.findall(re.sub(r"\(.*?\)", "", chart.knowledge[name])):
            if not terms_in(term, chart.knowledge) and not set(term.lower().split()) <= _units():
                yield term


def _doubt(words: str, chart: Chart, strange: Collection[str]) -> float:
    """How doubtful it is what some words mean."""
    doubt = 0.0
    for word in _WORD.findall(words):
        grounded = (
            word.lower() in _small()
            or any(listed("things", "noun", word))
            or any(listed("events", "table", word))
            or named("aggregates", word)
            or says("counted", word)
            or word.lower() in chart.name_words
        )
        if word.lower() in strange:
            doubt += 2
        elif not grounded:
            doubt += 1
    return doubt


@cache
def _units() -> frozenset[str]:
    return frozenset(_file()["words"]["units"].split())


@cache
def _small() -> frozenset[str]:
    return frozenset(_file()["words"]["small"].split())


@cache
def _file() -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("questions.toml").read_text("utf-8"))
