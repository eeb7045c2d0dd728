"""Rules for leaves about whom and when a query keeps: sex, age, survival, times, stays."""

from wardround.benchmarks.clinsql.checks.leaf_bounds import find_range
from wardround.benchmarks.clinsql.checks.sql_checks import Age, Sex, Start, Stay, Survival, Window
from wardround.benchmarks.clinsql.checks.sql_leaf import Found, Rule, SqlLeaf

_WOMEN = frozenset(["women", "woman", "female", "females", "f"])
_MEN = frozenset(["men", "man", "male", "males", "m"])
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


PATIENT_RULES: tuple[Rule, ...] = (sex, age, window, stay, survival)
