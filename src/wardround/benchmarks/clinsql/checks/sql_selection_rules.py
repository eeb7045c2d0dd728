"""Rules for leaves about what a query selects: codes, items, drugs, plausible values, a cohort."""

import re

from wardround.benchmarks.clinsql.checks.leaf_bounds import find_range
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.sql_checks import Codes, Cohort, Drugs, Items, ValueBounds
from wardround.benchmarks.clinsql.checks.sql_leaf import (
    Found,
    Rule,
    SqlLeaf,
    known_columns,
    known_tables,
)
from wardround.ehr.terms import find_drugs

_CODE = re.compile(r"%?[A-Z]?\d[\dA-Z.]*[%_]*|%?[A-Z]\d[\dA-Z.]*[%_]*")


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
    texts = {leaf.tokens[at].text.lower() for at in places} or _named_drugs(leaf)
    if not texts:
        return None
    patterns = sorted(text if "%" in text else f"%{text}%" for text in texts)
    explained = frozenset(places) | leaf.at({"drug", "prescriptions"})
    return Found(Drugs(patterns=tuple(patterns)), explained)


def _named_drugs(leaf: SqlLeaf) -> set[str]:
    """The drugs behind a word for containing, by the vocabulary of drugs."""
    found = leaf.at({"contains", "contain", "containing", "like", "named"})
    if not found:
        return set()
    text = " ".join(token.text for token in leaf.tokens[min(found) + 1 :])
    return {mention.text.lower() for mention in find_drugs(text)}


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


SELECTION_RULES: tuple[Rule, ...] = (items, codes, drugs, value_bounds, cohort)
