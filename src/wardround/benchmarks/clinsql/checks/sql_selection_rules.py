"""Rules for leaves about who and what a query selects: sex, age, codes, items, drugs, times."""

import re
from collections.abc import Callable

from wardround.benchmarks.clinsql.checks.leaf_bounds import find_range
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.model import (
    Age,
    Codes,
    Cohort,
    Drugs,
    Items,
    Sex,
    Start,
    Stay,
    Survival,
    ValueBounds,
    Window,
)
from wardround.benchmarks.clinsql.checks.sql_leaf import Found, SqlLeaf, known_columns, known_tables

Rule = Callable[[SqlLeaf, frozenset[str], frozenset[int]], Found | None]
_WOMEN = frozenset(["women", "woman", "female", "females", "f"])
_MEN = frozenset(["men", "man", "male", "males", "m"])
_CODE = re.compile(r"%?[A-Z]?\d[\dA-Z.]*[%_]*|%?[A-Z]\d[\dA-Z.]*[%_]*")
_HOURS = {"hours": 1, "hour": 1, "h": 1, "hrs": 1, "days": 24, "day": 24}
_DIED = ("died", "deaths", "death", "deceased", "expired", "nonsurvivors")
_LIVED = ("survived", "survivors", "survive", "alive")


def sex(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Words or values for one of the sexes."""
    women, men = leaf.at(_WOMEN), leaf.at(_MEN)
    if bool(women) == bool(men):
        return None
    named = leaf.at({"gender", "sex", "patients"})
    return Found(Sex(value="F" if women else "M"), women | men | named)


def age(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Bounds beside a word for age, with the convention if one is named."""
    names = leaf.at({"age", "aged", "ages", "anchor_age", "anchor_year", "anchor_year_group"})
    if not names and not leaf.words & {"old", "older", "younger"}:
        return None
    bounds = find_range(leaf.tokens)
    if bounds is None:
        return None
    low, high = _whole(bounds.low, bounds.low_open, 1), _whole(bounds.high, bounds.high_open, -1)
    at_admission = leaf.says("at admission", "of admission", "anchor_year", "admittime")
    anchor = leaf.says("anchor_age", "anchor age")
    convention = "admission" if at_admission else ("anchor" if anchor else None)
    explained = bounds.used | names | (leaf.at({"admittime"}) if at_admission else frozenset())
    return Found(Age(low=low, high=high, convention=convention), explained)


def _whole(bound: float | None, is_open: bool, step: int) -> int | None:
    return None if bound is None else int(bound) + (step if is_open else 0)


def codes(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """ICD codes and prefixes, as LIKE patterns without dots."""
    versions = {int(t.number) for t in leaf.tokens if t.kind == "icd" and t.number}
    if not versions and not leaf.words & {"icd_code", "icd"}:
        return None
    places = [at for at, token in enumerate(leaf.tokens) if at not in used and _is_code(token)]
    if not places:
        return None
    patterns = sorted({_pattern(leaf.tokens[at].text) for at in places})
    pcs = any(token.text.endswith("PCS") for token in leaf.tokens)
    procedures = pcs or leaf.says("procedure", "procedures", "procedures_icd")
    explained = leaf.at({"icd_code", "icd_version", "diagnoses_icd", "procedures_icd"})
    check = Codes(
        table="procedures_icd" if procedures else "diagnoses_icd",
        version=(10 if versions == {10} else 9) if len(versions) == 1 else None,
        patterns=tuple(patterns),
    )
    return Found(check, explained | frozenset(places))


def _is_code(token: Token) -> bool:
    if token.kind == "number":
        return token.text[0].isdigit()
    return token.kind in ("code", "name") and _CODE.fullmatch(token.text) is not None


def _pattern(text: str) -> str:
    code = text.replace(".", "")
    return code if "%" in code else f"{code}%"


def items(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Ids of five or six digits beside a word for items."""
    if not leaf.words & {"itemid", "itemids", "item", "items"}:
        return None
    places = [
        at
        for at, token in enumerate(leaf.tokens)
        if token.text.isdigit() and len(token.text) in (5, 6) and at not in used
    ]
    if not places:
        return None
    tables = leaf.tables()
    ids = tuple(sorted(int(leaf.tokens[at].text) for at in places))
    table = tables[0] if len(tables) == 1 else ""
    named = leaf.at({"itemid", "itemids"}) | (leaf.at(tables) if table else frozenset())
    return Found(Items(table=table, ids=ids), named | frozenset(places))


def drugs(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Quoted patterns beside a word for drugs."""
    if not leaf.words & {"drug", "drugs", "medication", "medications", "prescriptions"}:
        return None
    places = [
        at
        for at, token in enumerate(leaf.tokens)
        if token.kind == "name"
        and at not in used
        and token.text.lower() not in known_tables() | known_columns()
    ]
    if not places:
        return None
    texts = {leaf.tokens[at].text.lower() for at in places}
    patterns = sorted(text if "%" in text else f"%{text}%" for text in texts)
    explained = frozenset(places) | leaf.at({"drug", "prescriptions"})
    return Found(Drugs(patterns=tuple(patterns)), explained)


def window(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """A number of hours or days from the begin of a stay, or before its end."""
    places = [
        at
        for at, token in enumerate(leaf.tokens[:-1])
        if token.is_number and at not in used and leaf.tokens[at + 1].text in _HOURS
    ]
    if len(places) != 1:
        return None
    if not leaf.words & {"first", "within", "after", "last", "before", "window", "initial"}:
        return None
    [at] = places
    hours = (leaf.tokens[at].number or 0) * _HOURS[leaf.tokens[at + 1].text]
    back = bool(leaf.words & {"last", "before", "final"})
    columns = leaf.at({"intime", "outtime", "admittime", "dischtime", "charttime"})
    check = Window(start=_start(leaf), hours=-hours if back else hours)
    return Found(check, frozenset({at}) | columns)


def _start(leaf: SqlLeaf) -> Start | None:
    if leaf.words & {"discharge", "dischtime"}:
        return "discharge"
    if leaf.words & {"icu", "intime"}:
        return "icu"
    return "admission" if leaf.words & {"admission", "admittime"} else None


def stay(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """The first or last stay or admission."""
    first, last = leaf.words & {"first", "earliest"}, leaf.words & {"last", "latest"}
    if bool(first) == bool(last) or kinds & {"window", "age"}:
        return None
    icu = leaf.says("icu stay", "icu stays", "icu admission", "icustays")
    admission = leaf.words & {"admission", "admissions", "hospitalization"}
    if not icu and not admission:
        return None
    check = Stay(which="first" if first else "last", of="icu" if icu else "admission")
    return Found(check, leaf.at({"icustays", "intime", "admittime"}))


def survival(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Deaths only, or survivors only; a rate of deaths is a measure."""
    if leaf.words & {"rate", "proportion", "percentage", "share", "count", "number", "flags"}:
        return None
    flags = leaf.at({"hospital_expire_flag"})
    after = {leaf.tokens[at + 2].text for at in flags if at + 2 < len(leaf.tokens)}
    died = leaf.says(*_DIED) or after == {"1"}
    lived = leaf.says(*_LIVED) or after == {"0"}
    if died == lived:
        return None
    used_here = flags | frozenset(at + 2 for at in flags)
    return Found(Survival(died=died), used_here)


def value_bounds(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """Bounds of a measured value, where a sentence calls values plausible or excludes others."""
    about = leaf.words & {"plausible", "implausible", "outliers", "physiologic", "physiological"}
    bounds = find_range(leaf.tokens)
    if not (about or leaf.words & {"valuenum"}) or bounds is None or kinds & {"age", "items"}:
        return None
    columns = leaf.columns()
    if len(columns) > 1:
        return None
    check = ValueBounds(column="".join(columns), low=bounds.low, high=bounds.high)
    return Found(check, bounds.used | leaf.at(columns))


def cohort(leaf: SqlLeaf, kinds: frozenset[str], used: frozenset[int]) -> Found | None:
    """The whole cohort, compared with the gold's."""
    compared = leaf.words & {"gold", "reference", "same", "matches", "equals", "correct"}
    if "cohort" not in leaf.words or not compared or kinds:
        return None
    return Found(Cohort(), frozenset())


CONCEPT_RULES: tuple[Rule, ...] = (
    sex,
    age,
    items,
    codes,
    drugs,
    window,
    stay,
    survival,
    value_bounds,
    cohort,
)
