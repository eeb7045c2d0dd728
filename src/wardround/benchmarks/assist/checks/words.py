"""Words by what they do in a sentence, and clinical scores by name, in both languages."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import TermKind, mentions, plain
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.drugs import generics

_TEXTS = 4096  # cached texts
_TERMS: tuple[TermKind, ...] = (
    "drug", "test", "diagnosis", "route", "frequency", "status", "priority", "category", "service",
)  # fmt: skip
SCORES = {
    "SOFA": r"(?<!q)sofa|序贯器官衰竭",
    "qSOFA": r"qsofa|quick sofa|快速sofa",
    "SIRS": r"sirs|全身炎症反应综合征",
    "MELD": r"meld|终末期肝病模型",
    "Child-Pugh": r"child[- ]?pugh",
    "CURB-65": r"curb-?65",
    "CHA2DS2-VASc": r"cha2?ds2?[-–]?vasc|cha₂ds₂-vasc",
    "HAS-BLED": r"has-?bled",
    "Ranson": r"ranson",
    "Cockcroft-Gault": r"cockcroft[-– ]?gault|creatinine clearance|crcl|肌酐清除率",
    "Wells": r"wells",
}
_SCORE = re.compile("|".join(f"(?P<s{n}>{p})" for n, p in enumerate(SCORES.values())))


@dataclass(frozen=True, slots=True)
class Word:
    """A word or term at `text[start:end]`: its kind, and its name within the kind."""

    start: int
    end: int
    kind: str
    name: str


@lru_cache(_TEXTS)
def words_of(text: str) -> tuple[Word, ...]:
    """The words and terms of a text, the longest at each place, in order.

    >>> [(w.kind, w.name) for w in words_of("Hold lisinopril")]
    [('action', 'stop'), ('drug', 'lisinopril')]
    """
    found = [*_scores(text), *_listed(text)]
    for kind in _TERMS:
        found += [Word(m.start, m.end, kind, m.english) for m in mentions(text, kind)]
    ends: dict[int, list[Word]] = defaultdict(list)
    for word in found:
        ends[word.start].append(word)
    chosen: list[Word] = []
    for start in sorted(ends):
        if not chosen or start >= chosen[-1].end:
            longest = max(word.end for word in ends[start])
            chosen += [word for word in ends[start] if word.end == longest]
    return tuple(chosen)


def _scores(text: str) -> list[Word]:
    names = tuple(SCORES)
    return [
        Word(match.start(), match.end(), "score", names[int(match.lastgroup[1:])])
        for match in _SCORE.finditer(plain(text))
        if match.lastgroup
    ]


def _listed(text: str) -> list[Word]:
    found = []
    for match in _pattern().finditer(plain(text)):
        for kind, name in _lexicon()[match.group()]:
            found.append(Word(match.start(), match.end(), kind, name))
    return found


@cache
def members(name: str) -> frozenset[str]:
    """The drugs of a class, or of the classes that it contains.

    >>> "ibuprofen" in members("nsaid"), "furosemide" in members("diuretic")
    (True, True)
    """
    groups = [g for g in drug_classes() if name in (g.name, *g.synonyms)]
    return frozenset(drug for group in groups for drug in group.members)


@cache
def _lexicon() -> Mapping[str, tuple[tuple[str, str], ...]]:
    lexicon: dict[str, dict[tuple[str, str], None]] = defaultdict(dict)
    for kind, name, english, chinese in read_rows(__package__, "words.tsv"):
        for form in (*split_cell(english), *split_cell(chinese)):
            lexicon[plain(form)][kind, name] = None
    for group in drug_classes():
        for form in (group.name, f"{group.name}s", *group.synonyms):
            if not generics(form) and form not in lexicon:
                lexicon[form]["class", form.removesuffix("s")] = None
    return {form: tuple(meanings) for form, meanings in lexicon.items()}


@cache
def _pattern() -> re.Pattern[str]:
    forms = sorted(_lexicon(), key=len, reverse=True)
    latin = [re.escape(form) for form in forms if form.isascii()]
    han = [re.escape(form) for form in forms if not form.isascii()]
    return re.compile(rf"(?<![a-z])(?:{'|'.join(latin)})(?![a-z])|{'|'.join(han)}")
