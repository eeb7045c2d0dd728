"""Chinese and English names of drugs, tests, units, diagnoses, and the words of orders."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.diagnoses import formal_names
from wardround.ehr.terms.drugs import generics
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.terms.unit_names import spelled_names
from wardround.ehr.terms.vocabulary import drug_name

TermKind: TypeAlias = Literal[
    "drug", "test", "unit", "diagnosis", "route", "frequency", "flag", "status", "priority",
    "category", "service", "admission", "destination", "origin", "ward", "sex",
    "complaint", "clinic",
]  # fmt: skip
_TEXTS = 4096  # cached names
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_HAN = re.compile(r"[\u4e00-\u9fff]")
# Signs in titles that list, and may deny, what comes with a diagnosis.
_LISTING = frozenset("，、")
_PREPARATION = re.compile(
    r"(?:盐酸|硫酸|磷酸|枸橼酸|马来酸|富马酸|酒石酸|琥珀酸|苯磺酸|甲磺酸|氢溴酸|硝酸|醋酸|钠|钾|钙|盐"
    r"|片剂?|缓释|控释|肠溶|分散|薄膜衣|咀嚼|泡腾|胶囊剂?|颗粒|注射液|注射用|口服溶?液|混悬液|滴眼液|滴剂"
    r"|气雾剂|吸入剂|喷雾剂|软膏|乳膏|凝胶|贴剂?|贴片|粉|粉针|针剂?|栓剂?|药|[\s\d.]|mg|g|ug|ml|毫克|克)*"
)
NamesByKind: TypeAlias = Mapping[str, Mapping[TermKind, str]]


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """The rows of the table by name.

    Attributes:
        english: the English name by any name and kind.
        chinese: the preferred Chinese name by kind and English name.
    """

    english: NamesByKind
    chinese: Mapping[tuple[TermKind, str], str]


def english(text: str, kind: TermKind) -> str | None:
    """The English name of a term in either language; None if it is unknown.

    A drug's is its generic name, mixtures joined by ` + `; a test's is its label in MIMIC-IV.

    >>> english("速尿", "drug"), english("Lasix", "drug"), english("每日两次", "frequency")
    ('furosemide', 'furosemide', 'twice daily')
    >>> english("阿哌沙班片", "drug"), english("盐酸二甲双胍缓释片", "drug")
    ('apixaban', 'metformin')
    >>> english("WBC", "test"), english("penguin", "drug")
    ('white blood cells', None)
    """
    return _english(plain(text).strip(), kind)


@lru_cache(_TEXTS)
def _english(name: str, kind: TermKind) -> str | None:
    listed = _lexicon().english.get(name, {}).get(kind)
    return listed or _packaged(name, kind) or (_prepared(name) if kind == "drug" else None)


def chinese(text: str, kind: TermKind) -> str | None:
    """The preferred Chinese name of a term in either language; None if it is unknown.

    >>> chinese("Coumadin", "drug"), chinese("heart attack", "diagnosis"), chinese("BID", "route")
    ('华法林', '心肌梗死', None)
    """
    name = english(text, kind)
    return _lexicon().chinese.get((kind, name)) if name else None


def is_kind_of(name: str, wider: str) -> bool:
    """True if a diagnosis is a kind of another, whose Chinese name its own then ends in.

    >>> is_kind_of("gastrointestinal hemorrhage", "bleeding"), is_kind_of("bleeding", "bleeding")
    (True, False)
    """
    names = [chinese(each, "diagnosis") or "" for each in (name, wider)]
    is_longer = all(names) and names[0] != names[1] and names[0].endswith(names[1])
    return is_longer and _LISTING.isdisjoint(names[0])


def names_of_terms() -> NamesByKind:
    """The English names of terms by any of their names in lower case, and by kind."""
    return _lexicon().english


def plain(text: str) -> str:
    r"""A text in lower case, full-width letters, digits and signs as usual ones; as long as before.

    >>> plain("INR\uff1a\uff12\uff0e\uff15")
    'inr:2.5'
    """
    usual = text if text.isascii() else text.translate(_HALF_WIDTH)
    lower = usual.lower()
    # Few letters have a lower case of two: İ has.
    if len(lower) == len(text):
        return lower
    return "".join(each.lower() if len(each.lower()) == 1 else each for each in usual)


def _prepared(name: str) -> str | None:
    """The drug of a Chinese name whose other words are its salt, form or dose, as in 速尿片."""
    if not _HAN.search(name):
        return None
    starts = [start for start in range(len(name)) if _PREPARATION.fullmatch(name, 0, start)]
    ends = [end for end in range(len(name), 0, -1) if _PREPARATION.fullmatch(name, end)]
    drugs = (name[start:end].strip() for start in starts for end in ends if start < end)
    return next(filter(None, map(_listed_drug, drugs)), None)


def _listed_drug(name: str) -> str | None:
    return _lexicon().english.get(name, {}).get("drug") or _packaged(name, "drug")


def _packaged(name: str, kind: TermKind) -> str | None:
    """The English name by the other vocabularies, which are English."""
    match kind:
        case "drug":
            return drug_name(generics(name)) or None
        case "test":
            lab = lab_named(name)
            return lab.name if lab else None
        case "diagnosis":
            names = (_lexicon().english.get(each, {}).get(kind) for each in formal_names(name))
            return next(filter(None, names), None)
        case _:
            return None


@cache
def _lexicon() -> _Lexicon:
    by_name: dict[str, dict[TermKind, str]] = defaultdict(dict)
    preferred: dict[tuple[TermKind, str], str] = {}
    for kind, names, terms, _, _ in read_rows(__package__, "chinese.tsv"):
        english_names, chinese_names = split_cell(names), split_cell(terms)
        preferred[kind, english_names[0]] = chinese_names[0]  # type: ignore[index]
        spelled = spelled_names(english_names[0]) if kind == "unit" else []
        for name in (*spelled, *english_names, *chinese_names):
            by_name[plain(name)][kind] = english_names[0]  # type: ignore[index]
    return _Lexicon(dict(by_name), preferred)
