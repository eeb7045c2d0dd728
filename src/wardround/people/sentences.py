"""Splits instructions into sentences and parts.

Before patterns are matched, text outside the instruction's grammar is shielded: the content of
quotes, the punctuation of parentheses and abbreviations, and the items of an enumeration. Shielded
characters are moved to a private-use plane, where no pattern matches them, and moved back at the
end.
"""

import re
from collections.abc import Iterator

from wardround.ehr.text import segments
from wardround.people.patterns import pattern, rewrites

_PLANE = 0xF0000
_SHIELDED = re.compile("[\U000f0000-\U000ffffd]")
# A quote; an apostrophe between letters neither opens nor closes one.
_OPEN, _CLOSE, _MARKS = "[\"'\u201c\u2018]", "[\"'\u201d\u2019]", "\"'\u201c\u201d\u2018\u2019"
_QUOTE = re.compile(
    rf"(?<![^\s(\[/,;:])(?P<mark>{_OPEN})"
    rf"(?P<inner>\S(?:[^{_MARKS}]|(?<=\w)['\u2019](?=\w))*?)(?P<last>[.,?!]?)(?P<end>{_CLOSE})(?!\w)"
)
_ALL_QUOTED = re.compile(r"[\"\u201c]([^\"\u201c\u201d]+)[\"\u201d]")
_PARENTHESES = re.compile(r"\([^()]*\)")
_WHOLE_SENTENCE = re.compile(r"(?<=[.!?]\s)\(([A-Z][^()]*[.!?])\)(?=\s|$)")
_PUNCTUATION = re.compile(r"[.,;:?!]")
_MARKER = re.compile(r"(?<!\S)(?:\((?P<bracket>\d{1,2}|[a-z])\)|(?P<plain>\d{1,2}|[a-z])[.)])\s+")
_BULLET = re.compile(r"(?<!\S)[-*•]\s+")


def parts(text: str) -> Iterator[str]:
    """Yields the parts of an instruction, shielded, a main clause and its condition each."""
    for sentence in _shielded_sentences(text):
        for piece in pattern("grammar", "part_break").split(sentence):
            yield from _split_part(piece.strip())


def _split_part(piece: str) -> Iterator[str]:
    bare = _plain_opening(_without_leads(piece))
    if not bare or any(
        pattern("grammar", kind).search(bare) for kind in ("heading", "stage_label")
    ):
        return
    bare = pattern("grammar", "label").sub("", bare)
    if first := pattern("grammar", "without_first").match(bare):
        yield first["secret"]
        bare = bare[first.end() :]
    bare = pattern("grammar", "adjunct").sub("", bare)
    if persona := pattern("grammar", "persona_and_want").match(bare):
        bare = "you " + re.sub(r"^(?:is|am)\b", "are", bare[persona.end() :])
    if interest := pattern("grammar", "interest_and_want").search(bare):
        yield interest[1]
        bare = "you " + bare[interest.end() :]
    yield bare


def sentences(text: str) -> list[str]:
    """Splits a text into sentences without their full stop.

    >>> sentences("Use drugs, e.g. Lasix. Not 'Hb C.' Then 7.5 mg.")
    ['Use drugs, e.g. Lasix', "Not 'Hb C.'", 'Then 7.5 mg']
    >>> sentences("Both: 1. Over 65. 2. No 'lasix, oral. Or IV'. In Dr. Smith's ward (no. 4).")
    ["Both: 1. Over 65. 2. No 'lasix, oral. Or IV'", "In Dr. Smith's ward (no. 4)"]
    """
    return [restore(sentence) for sentence in _shielded_sentences(text)]


def restore(text: str) -> str:
    """Moves shielded characters back."""
    return _SHIELDED.sub(lambda match: chr(ord(match[0]) - _PLANE), text)


def _shielded_sentences(text: str) -> list[str]:
    flat = " ".join(_SHIELDED.sub(" ", text).replace("**", "").split())
    if whole := _ALL_QUOTED.fullmatch(flat):
        flat = whole[1]
    shielded = _QUOTE.sub(_shield_quote, flat)
    shielded = _WHOLE_SENTENCE.sub(r"\1", shielded)
    shielded = _PARENTHESES.sub(_shield_punctuation, shielded)
    for start, end in segments.abbreviations(shielded):
        shortened = _PUNCTUATION.sub(_shield_match, shielded[start:end])
        shielded = shielded[:start] + shortened + shielded[end:]
    return [
        sentence.rstrip(".")
        for block in _shield_enumerations(shielded).split("\n")
        for sentence in segments.texts(block, segments.sentences(block, "en"))
    ]


def _without_leads(part: str) -> str:
    """Drops opening adverbs, of which there may be several."""
    while part != (bare := pattern("grammar", "lead").sub("", part)):
        part = bare
    return part


def _plain_opening(part: str) -> str:
    """Rewrites other openings of conditions, steps and commands into those that are parsed."""
    for opener, words in rewrites("opener"):
        part = opener.sub(words, part)
    return part


def _shield(text: str) -> str:
    return "".join(chr(ord(c) + _PLANE) if ord(c) < 0xFFFE else c for c in text)


def _shield_quote(match: re.Match[str]) -> str:
    """Shields a quote; its final punctuation may also end the sentence around it."""
    return f"{match['mark']}{_shield(match['inner'])}{match['last']}{match['end']}"


def _shield_punctuation(match: re.Match[str]) -> str:
    return _PUNCTUATION.sub(lambda sign: _shield(sign[0]), match[0])


def _shield_enumerations(text: str) -> str:
    """Joins enumerated criteria to one sentence; gives each enumerated step a line of its own."""
    for markers in _enumerations(text):
        if _are_steps(text, markers):
            for marker in reversed(markers):
                text = f"{text[: marker.start()]}\n{text[marker.end() :]}"
        else:
            start, end = markers[0].start(), markers[-1].end()
            text = text[:start] + _PUNCTUATION.sub(_shield_match, text[start:end]) + text[end:]
    return text


def _are_steps(text: str, markers: list[re.Match[str]]) -> bool:
    """True if most items of an enumeration are steps of the dialogue, not criteria."""
    steps = [pattern("grammar", "directive").match(text[marker.end() :]) for marker in markers]
    return sum(map(bool, steps)) * 2 > len(steps)


def _shield_match(match: re.Match[str]) -> str:
    return _shield(match[0])


def _enumerations(text: str) -> list[list[re.Match[str]]]:
    """Finds runs of at least two consecutive markers, and bullets after a colon; last run first."""
    runs: list[list[re.Match[str]]] = []
    for marker in _MARKER.finditer(text):
        label = marker["bracket"] or marker["plain"]
        if label in ("1", "a"):
            runs.append([marker])
        elif runs and _follows(label, runs[-1][-1]):
            runs[-1].append(marker)
    bullets = list(_BULLET.finditer(text))
    if bullets and text[: bullets[0].start()].rstrip().endswith(":"):
        runs.append(bullets)
    return sorted((run for run in runs if len(run) > 1), key=lambda run: -run[0].start())


def _follows(label: str, marker: re.Match[str]) -> bool:
    earlier = marker["bracket"] or marker["plain"]
    if label.isdigit() and earlier.isdigit():
        return int(label) == int(earlier) + 1
    return not (label.isdigit() or earlier.isdigit()) and ord(label) == ord(earlier) + 1
