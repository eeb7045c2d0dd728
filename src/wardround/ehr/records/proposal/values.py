"""Roles of a column by its values: codes, names of drugs and tests, units, words of the record."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import ColumnFacts
from wardround.ehr.terms import generics, lab_names
from wardround.ehr.terms.conditions import condition_named
from wardround.ehr.terms.conversions import Unit, unit_named
from wardround.ehr.terms.labs import lab_named
from wardround.ehr.text.mentions import find_drugs

_VALUES = 120  # different values that are looked at
_ICD = re.compile(r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?|[EV]?\d{3,4}(\.\d{1,2}|\d)?")
_PROCEDURE_CODE = re.compile(r"\d{2}\.\d{1,2}|[0-9A-HJ-NP-Z]{7}")
_ATC = re.compile(r"[A-Z]\d{2}[A-Z]{2}\d{2}")
_NDC = re.compile(r"\d{4,5}-\d{3,4}-\d{1,2}|\d{11}")
_DOSE = re.compile(r"[\d.,\-]+ ?(mg|mcg|ug|g|ml|units?|meq|mmol|tab\w*|cap\w*|puffs?|%)\b.*", re.I)
_UNIT = re.compile(
    r"(10\^\d|[kmu]|x10\S*|mm|cells|units?|iu|[mnpuk]?g|[mu]?mol|meq|[md]?l)/\S+", re.I
)
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?")
_AGE = re.compile(r"\d{1,3}|[<>]=? ?\d{2}|\d{2}\+")
_SPLIT = re.compile(r"\s*[,;|]\s*")


def vital_signs(column: ColumnFacts) -> dict[str, Evidence]:
    """The vital signs that the numbers of a column can be, with what speaks for each."""
    if not _is_measured_column(column):
        return {}
    ordered = sorted(column.numbers)
    low, middle, high = (ordered[int(len(ordered) * at)] for at in (0.05, 0.5, 0.95))
    stem, unit = stem_and_unit(column.column.name)
    signs: dict[str, Evidence] = {}
    for name, entry in _file()["wide"].items():
        other_unit = unit is not None and unit != unit_named(entry["unit"])
        fits = entry["all"][0] <= low and high <= entry["all"][1] and not other_unit
        if fits and entry["middle"][0] <= middle <= entry["middle"][1]:
            about: Evidence = (("range", "the range of its numbers"),)
            about += (("unit", "the unit in its name"),) if unit else ()
            about += (("name", "its name"),) if _has_word(stem, entry["names"]) else ()
            signs[name] = about
    return signs


def _has_word(stem: str, words: Sequence[str]) -> bool:
    letters = re.sub(r"[^a-z0-9]", "", stem)
    parts = {letters, *stem.split("_")}
    return any(word in letters if len(word) > 3 else word in parts for word in words)


def lab_test(column: ColumnFacts) -> tuple[str, Evidence] | None:
    """The test that a column of concentrations is: its name has the unit in it."""
    stem, unit = stem_and_unit(column.column.name)
    if not unit or not unit.dimension.endswith("concentration") or not _is_measured_column(column):
        return None
    about: Evidence = (("unit", "the unit in its name"),)
    lab = lab_named(stem.replace("_", " "))
    return (lab.name, (*about, ("name", "its name"))) if lab else (stem, about)


def _is_measured_column(column: ColumnFacts) -> bool:
    return column.type in ("integer", "number") and len(column.distinct) >= 8


def stem_and_unit(name: str) -> tuple[str, Unit | None]:
    """A column's name without the unit at its end, and the unit.

    >>> stem_and_unit("crea_umol_l")[0], stem_and_unit("temp_c")[1].name, stem_and_unit("chloride")
    ('crea', '°C', ('chloride', None))
    """
    parts = name.lower().split("_")
    for length in (2, 1):
        written = "/".join(parts[-length:])
        unit = unit_named(_file()["units"].get(written, written))
        if unit and len(parts) > length:
            return "_".join(parts[:-length]), unit
    return name.lower(), None


def sign_unit(name: str) -> str:
    """The unit of a vital sign that is a column of its own."""
    return str(_file()["wide"][name]["unit"])


def sign_meaning(name: str) -> str:
    """The meaning by which maps call a vital sign that is a column of its own.

    >>> sign_meaning("heart rate")
    'heart_rate'
    """
    return str(_file()["wide"][name]["meaning"])


def value_roles(column: ColumnFacts) -> dict[str, float]:
    """The roles that the texts of a column fit, with the share of different texts that do.

    Only roles whose share is enough for them are in it: nearly all values have to be codes, one
    in three drugs has to be known.
    """
    texts = [text for text in column.texts if text][:_VALUES]
    if not texts or column.type == "time":
        return {}
    shares = {role: sum(map(fits, texts)) / len(texts) for role, fits in _tests().items()}
    frequent = {role: share for role, share in shares.items() if share >= _ENOUGH.get(role, 0.35)}
    fitting = {role: share for role, share in frequent.items() if _is_plausible(role, texts)}
    return {**fitting, **({"sex": 1.0} if sexes(texts) else {})}


def sexes(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The texts for female and male; empty if they are not sexes, or if a word is used for both.

    >>> sexes(["V", "M"]), sexes(["M", "H"]), sexes(["M", "X"])
    ({'female': ('V',), 'male': ('M',)}, {'female': ('M',), 'male': ('H',)}, {})
    """
    words = {text.lower() for text in texts}
    pairs = [pair for pair in _file()["sexes"]["pairs"] if words.issuperset(pair)]
    female, male = ({pair[at] for pair in pairs} for at in (0, 1))
    if not pairs or female & male or words - female - male - {*_file()["sexes"]["others"]}:
        return {}
    return {
        meaning: tuple(sorted(text for text in texts if text.lower() in known))
        for meaning, known in (("female", female), ("male", male))
    }


def is_of(role: str, text: str) -> bool:
    """True if a text is a value of a role."""
    return _tests()[role](text)


def separator(column: ColumnFacts) -> str:
    """The separator of several codes in a cell; empty if a cell holds one."""
    several = [text for text in column.texts if _SPLIT.search(text)]
    if len(several) < 0.05 * len(column.texts):
        return ""
    marks = [match.group().strip() for text in several if (match := _SPLIT.search(text))]
    return max(sorted(set(marks)), key=marks.count)


# The share of values that must fit; names of drugs, tests and diseases are never all known.
_ENOUGH: Mapping[str, float] = {
    "icd": 0.9,
    "procedure code": 0.9,
    "loinc": 0.9,
    "atc": 0.9,
    "ndc": 0.9,
    "clock": 0.95,
    "age": 0.98,
    "interpretation": 0.9,
    "unit": 0.5,
    "dose": 0.5,
    "dead": 0.05,
    "abnormal": 0.9,
    "route": 0.4,
    "marital": 0.5,
    "ward": 0.5,
    "intensive": 0.5,
    "region": 0.9,
    "intake": 0.08,
    "output": 0.08,
    "vital": 0.2,
    "organism": 0.4,
}


def _is_plausible(role: str, texts: list[str]) -> bool:
    """Refuses texts that would fit other roles too: numbers are not codes, two sexes not names."""
    if role in ("icd", "procedure code"):
        lettered = sum(text[0].isalpha() or text[0] == "0" or "." in text for text in texts)
        numbers = sum("." in text and text.split(".")[0].lstrip("0") == "" for text in texts)
        mixed = sum(text[-1].isdigit() for text in texts) >= 0.3 * len(texts)
        letters = {text[0] for text in texts}
        numbered = len(letters) == 1 and not any("." in text for text in texts)  # beds, rooms
        return (
            len(texts) >= 3
            and not numbered
            and lettered >= 0.05 * len(texts)
            and not numbers
            and mixed
        )
    if role == "age":
        return any(not text.isdigit() for text in texts) and len(texts) >= 10
    if role in ("interpretation", "abnormal", "dead", "region", "marital"):
        return 2 <= len(texts) <= 12
    if role in ("route", "unit", "ward", "intensive"):
        return len(texts) <= 100 and any(len(text) > 1 for text in texts)
    return role not in _OPEN or len(texts) >= 3


# Names that nobody can list: a few words are too few to tell.
_OPEN = frozenset({"drug", "lab", "diagnosis", "procedure", "organism", "vital"})


@cache
def _tests() -> Mapping[str, Callable[[str], bool]]:
    words = {role: _word_test(entry) for role, entry in _file()["values"].items()}
    return {
        **words,
        "diagnosis": lambda text: (
            words["diagnosis"](text) or bool(condition_named(last_step(text)))
        ),
        "icd": lambda text: all(map(_ICD.fullmatch, _SPLIT.split(text))),
        "procedure code": lambda text: bool(_PROCEDURE_CODE.fullmatch(text)),
        "loinc": _is_loinc,
        "atc": lambda text: bool(_ATC.fullmatch(text)),
        "ndc": lambda text: bool(_NDC.fullmatch(text)),
        "clock": lambda text: bool(_CLOCK.fullmatch(text)),
        "age": lambda text: bool(_AGE.fullmatch(text)),
        "dose": lambda text: bool(_DOSE.fullmatch(text)),
        "unit": lambda text: bool(unit_named(text) or _UNIT.fullmatch(text)),
        "drug": _is_drug,
        "lab": lambda text: bool(lab_named(text) or lab_names(text)),
    }


def _is_drug(text: str) -> bool:
    """True if a text begins with a drug; a sentence that only mentions one does not count."""
    if generics(text):
        return True
    drugs = find_drugs(text[:80])
    return bool(drugs) and drugs[0].start == 0


def _is_loinc(text: str) -> bool:
    """True if a text has the shape and the check digit of a LOINC code.

    >>> _is_loinc("2345-7"), _is_loinc("2345-8")
    (True, False)
    """
    match = re.fullmatch(r"(\d{1,5})-(\d)", text)
    if not match:
        return False
    digits = [int(digit) for digit in reversed(match[1])]
    doubled = [sum(divmod(2 * d, 10)) if at % 2 == 0 else d for at, d in enumerate(digits)]
    return (sum(doubled) + int(match[2])) % 10 == 0


def _word_test(entry: Mapping[str, list[str]]) -> Callable[[str], bool]:
    whole = frozenset(word.lower() for word in entry.get("whole", ()))
    words = "|".join(re.escape(word.lower()) for word in entry.get("words", ()))
    endings = "|".join(map(re.escape, entry.get("endings", ())))
    either = "|".join(
        part
        for part in (rf"\b(?:{words})\b" if words else "", rf"(?:{endings})\b" if endings else "")
        if part
    )
    pattern = re.compile(either) if either else None

    def fits(text: str) -> bool:
        lower = text.lower()
        return lower in whole or bool(pattern and pattern.search(lower))

    return fits


def last_step(text: str) -> str:
    """The last step of a path."""
    return re.split(r"[|/]", text)[-1].strip()


@cache
def _file() -> Mapping[str, Any]:
    return read_toml("wardround.ehr.records.proposal", "words.toml")


def name_evidence(name: str, *roles: str) -> Evidence:
    """The evidence of a name that has a word for one of some roles in it."""
    return (("name", "its name"),) if any(named(name, role) for role in roles) else ()


def named(name: str, role: str) -> bool:
    """True if a name of a table or column has a word for a role in it.

    >>> named("visit_start_date", "time"), named("icd9code", "code"), named("f0312", "time")
    (True, True, False)
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    parts = [part.rstrip("0123456789") for part in re.split(r"[^a-z]+|(?<=[a-z])\d+", spaced)]
    listed_names = _file()["names"].get(role, ())
    return any(
        part in (word, f"{word}s")
        or (len(word) >= 4 and (part.startswith(word) or part.endswith(word)))
        or (len(word) >= 5 and word in part)
        for word in listed_names
        for part in parts
        if part
    )
