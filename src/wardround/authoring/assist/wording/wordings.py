"""The wordings of findings, rules and questions in both languages."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter
from typing import Any, get_args

from wardround.authoring.assist.facts.findings import Finding, Slot
from wardround.authoring.assist.facts.told_words import Part, told_words
from wardround.benchmarks.assist.sessions import Language, Subtype
from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import TermKind, chinese, english
from wardround.ehr.text.language import has_han

_DIRECTIONS = {
    "en": {"rise": "rise", "fall": "fall", "steady": "steady course"},
    "zh": {"rise": "上升", "fall": "下降", "steady": "基本稳定"},
}
_RATES, _CHINESE_RATES = ("heart rate", "respiratory rate"), {"rise": "增快", "fall": "减慢"}
_LOWER_CASE = ("drug", "test", "diagnosis", "admission", "destination", "service", "sex",
               "frequency", "complaint", "clinic", "ward", "origin")  # fmt: skip
# Units that a Chinese text has in words; others keep their symbols.
_UNITS_IN_WORDS = (
    "bpm", "units", "tablet", "capsule", "puff", "neb", "ptch", "pkt", "drop", "appl", "inh",
)  # fmt: skip
# Units that an English text counts, as in "5000 units".
_COUNTED = ("unit", "tablet", "capsule", "puff", "drop")
_SINGLE = re.compile(r"(?<![\d.-])1 (day|week|year)s\b")
_ABBREVIATION = re.compile(r"\b(?:ct|mri|mra|ercp|tte|ii|iii|iv|hiv|mrsa|inr)\b")
# Routes as an English sentence has them.
_ROUTES = {
    "oral": "by mouth",
    "intravenous": "intravenously",
    "subcutaneous": "subcutaneously",
    "intramuscular": "intramuscularly",
    "inhalation": "inhaled",
    "sublingual": "under the tongue",
    "rectal": "per rectum",
    "topical": "to the skin",
}
_BY_MOUTH_OR_TUBE = {"en": "by mouth or nasogastric tube", "zh": "口服或鼻饲"}
_LONG_AND = {"en": ("; ", ", and "), "zh": ("；", "，以及")}
_AND = {"en": (", ", " and "), "zh": ("、", "和")}
_CLAUSE = "，"  # a mark of a Chinese phrase that is a clause
# The spaces of a number before "%" or a Chinese unit, which Chinese texts do not have.
_BEFORE_UNIT = re.compile(r"(?<![\d.-])(\d+(?:\.\d+)?) (?=[%\u4e00-\u9fff])")
_BEFORE_NUMBER = re.compile(r"(?<=[\u4e00-\u9fff]) (?=\d+(?:\.\d+)?[%\u4e00-\u9fff])")


def wordings(language: Language) -> Mapping[str, Any]:
    """All wordings of a language."""
    return read_toml(__package__, f"wordings_{language}.toml")


def risk_area(risk: str, language: Language) -> str:
    """The words for what a new risk is to; "" if they would not tell it from others.

    >>> risk_area("hyperkalemia", "en")
    'of a potassium disorder'
    """
    return str(wordings(language)["area"].get(risk, ""))


def finding_wordings(finding: Finding, language: Language) -> Mapping[str, Any]:
    """The wordings of a finding; an order of today has stood unchanged for no time."""
    texts: Mapping[str, Any] = wordings(language)["finding"][finding.kind]
    is_of_today = "today" in texts and finding.slots["ago"].source.value == 0
    return {**texts, **texts["today"]} if is_of_today else texts


@cache
def has_form(kind: str, form: Subtype | None) -> bool:
    """True if a kind of finding can be asked for alone in an implicit form, or explicitly."""
    return (form or "explicit") in wordings("en")["finding"][kind].get("ask", {})


@cache
def has_phrase(kind: str, form: Subtype | None) -> bool:
    """True if a kind of finding has a noun phrase for a question about several."""
    return (form or "phrase") in wordings("en")["finding"][kind]


@cache
def is_compared(kind: str) -> bool:
    """True if a kind of finding has a question that compares two entities of earlier turns."""
    return "compared" in wordings("en")["finding"][kind]


@cache
def shows_harm(kind: str) -> bool:
    """True if a kind of finding can be asked for as the result that shows a harm."""
    return "shown" in wordings("en")["finding"][kind]


def slot_words(slot: Slot, language: Language) -> str:
    """The words for a value.

    >>> from wardround.authoring.assist.facts.sources import Cited
    >>> slot_words(Slot("diagnosis", Cited("lactate", "risk", "septic shock")), "zh")
    '感染性休克'
    """
    return value_words(slot.source.value, slot.wording, language)


def value_words(value: float | int | str, wording: str, language: Language) -> str:
    """The words for a value of a kind."""
    if wording == "number":
        return f"{value:g}"
    if wording == "ago":
        return _days_ago(int(value), language)
    if wording == "words":
        return str(wordings(language)["words"][value])
    if wording in get_args(Part):
        return told_words(str(value), wording, language)
    if wording == "direction":
        return _DIRECTIONS[language][str(value)]
    if wording == "dose":
        amount, _, unit = str(value).partition(" ")
        words = value_words(unit, "unit", language)
        return f"{amount} {words}{'s' if words in _COUNTED and amount != '1' else ''}"
    if wording == "unit" and english(str(value), "unit") not in _UNITS_IN_WORDS:
        return str(value)
    if wording not in get_args(TermKind):
        return str(value)
    if value == "PO/NG":
        return _BY_MOUTH_OR_TUBE[language]
    if language == "zh":
        return chinese(str(value), wording) or str(value)  # type: ignore[arg-type]
    if wording in _LOWER_CASE:
        return _plain_name(str(value), wording)
    if wording == "route":
        return _ROUTES.get(english(str(value), "route") or "", str(value))
    known = english(str(value), "unit") if wording == "unit" else None
    return known.removesuffix("s") if known in (*_COUNTED, "units") else str(value)


def _days_ago(days: int, language: Language) -> str:
    words = wordings(language)["words"]
    named = {0: words["today"], 1: words["yesterday"]}
    return str(named.get(days) or words["days_ago"].format(days=days))


def filled(text: str, values: Mapping[str, str]) -> str:
    """A wording with its slots filled; a slot with a capital begins a sentence.

    >>> filled("{Test} {value} {unit}.", {"test": "potassium", "value": "4.5", "unit": ""})
    'Potassium 4.5.'
    >>> filled("after {days} days", {"days": "1"})
    'after 1 day'
    >>> filled("剂量为 {dose}，于 {day} 给药。", {"dose": "2 喷", "day": "2180-01-02"})
    '剂量为2喷，于 2180-01-02 给药。'
    """
    slots = {name: _slot_value(name, values) for name in slots_of(text)}
    words = _SINGLE.sub(r"1 \1", text.format(**slots))
    if has_han(words):
        words = _BEFORE_NUMBER.sub("", _BEFORE_UNIT.sub(r"\1", words))
    return (
        " ".join(words.split())
        .replace(" .", ".")
        .replace(" ,", ",")
        .replace(" ，", "，")
        .replace(" 。", "。")
        .replace(" （", "（")
    )


def _slot_value(name: str, values: Mapping[str, str]) -> str:
    return values[name] if name in values else _capital(values[name.lower()])


@cache
def slots_of(text: str) -> tuple[str, ...]:
    """The names of a wording's slots, in order."""
    return tuple(name for _, name, _, _ in Formatter().parse(text) if name)


def listed(phrases: Sequence[str], language: Language) -> str:
    """Phrases as a list in a sentence.

    >>> listed(["a", "b", "c"], "en")
    'a, b and c'
    """
    between, last = _AND[language]
    if len(phrases) > 1 and any(m in each for each in phrases for m in (between, last, _CLAUSE)):
        between, last = _LONG_AND[language]
    most = between.join(phrases[:-1])
    return last.join(each for each in (most, *phrases[-1:]) if each)


def finding_words(finding: Finding, language: Language) -> dict[str, str]:
    """The words for the values of a finding; a ratio has no unit.

    Chinese has other words for the rise and fall of a rate.
    """
    words = {name: slot_words(slot, language) for name, slot in finding.slots.items()}
    if language == "zh" and finding.entity.name in _RATES and "change" in words:
        change = str(finding.slots["change"].source.value)
        words["change"] = _CHINESE_RATES.get(change, words["change"])
    return {"unit": "", **words}


def _plain_name(name: str, kind: str) -> str:
    """An English name as it is said: tests and drugs by their usual names, codes in lower case."""
    english_name = english(name, kind) or name  # type: ignore[arg-type]
    if kind == "test" and english_name in _LEVELS:
        return f"{english_name} level"
    if kind == "drug":
        return english_name.replace(" + ", "-")
    return _USUAL.get(english_name) or _ABBREVIATION.sub(
        lambda match: match[0].upper(), english_name
    )


# Drugs whose level is measured; its test has the name of the drug.
_LEVELS = ("digoxin", "phenytoin", "vancomycin", "lithium")
# Labels of MIMIC-IV and of codes that nobody says.
_USUAL = {
    "white blood cells": "white cell count",
    "red blood cells": "red cell count",
    "troponin t": "troponin T",
    "troponin i": "troponin I",
    "inr(pt)": "INR",
    "% hemoglobin a1c": "hemoglobin A1c",
    "calcium, total": "calcium",
    "free calcium": "ionized calcium",
    "bilirubin, total": "total bilirubin",
    "bilirubin, direct": "direct bilirubin",
    "bilirubin, indirect": "indirect bilirubin",
    "protein, total": "total protein",
    "alanine aminotransferase (alt)": "ALT",
    "asparate aminotransferase (ast)": "AST",
    "lactate dehydrogenase (ld)": "LDH",
    "creatine kinase (ck)": "creatine kinase",
    "creatine kinase, mb isoenzyme": "CK-MB",
    "ntprobnp": "NT-proBNP",
    "thyroid stimulating hormone": "TSH",
    "thyroxine (t4), free": "free T4",
    "cholesterol, total": "total cholesterol",
    "cholesterol, hdl": "HDL cholesterol",
    "cholesterol, ldl, calculated": "LDL cholesterol",
    "o2 saturation pulseoxymetry": "SpO2",
    "temperature celsius": "temperature",
    "pt": "prothrombin time",
    "ptt": "PTT",
    "mcv": "MCV",
    "po2": "PO2",
    "pco2": "PCO2",
    "ph": "pH",
    "c-reactive protein": "C-reactive protein",
    "ew emer.": "emergency",
    "eu observation": "emergency observation",
    "direct emer.": "direct emergency",
    "rehab": "rehabilitation",
    "psych facility": "psychiatric facility",
    "pacu": "PACU",
    "acute kidney failure": "acute kidney injury",
    "coronary stent": "a coronary stent",
}


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
