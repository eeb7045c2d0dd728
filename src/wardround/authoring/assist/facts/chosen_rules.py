"""The rules of a patient that a session can be about: enough advice, in time, in their order."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule, harm_tests, sharing
from wardround.ehr.terms.clinical_rules import AGAINST, WITHHOLDING, clinical_rules, is_of
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.terms.result_changes import recent_direction
from wardround.ehr.terms.result_limits import days_to_repeat, result_limits

_AWAY = 2  # days after a discharge before which no test is repeated
_BEGINNING = ("start", "replace")
_HEMOGLOBIN = "hemoglobin"
_SWING = timedelta(days=3)  # the time in which a result may still move on by itself
# Kinds of drugs that nobody takes together: a dual blockade of the renin-angiotensin system.
_BLOCKERS = ("ace inhibitor", "angiotensin receptor blocker")


def tempted(
    rules: Iterable[BoundRule], tempting: Collection[str], used: Mapping[str, int] | None = None
) -> list[BoundRule]:
    """The rules, each avoiding a drug that the record suggests if it avoids such a drug.

    Of several it is the one that the fewest sessions and rules before it avoid, and none that
    another rule gives if there is a choice.

    Args:
        rules: the rules.
        tempting: the drugs that the record suggests.
        used: how often earlier sessions avoid each drug.
    """
    counts, bound_rules = Counter(used or {}), list(rules)
    given = {bound.given for bound in bound_rules}
    changed = []
    for bound in bound_rules:
        drugs = (bound.drug, bound.beside, bound.object)
        avoided = [each for each in bound.rule.avoided if each in tempting and each not in drugs]
        drug = min(avoided, key=lambda each: (each in given, counts[each]), default="")
        counts[drug] += 1
        changed.append(bound if bound.tempting == drug else replace(bound, tempting=drug))
    return changed


def enough(rules: Sequence[BoundRule], values: Mapping[str, Sequence[float]]) -> list[BoundRule]:
    """The rules whose advice is enough for what the results show.

    A rule that only asks for a test, or only for less of a drug beside another one, is not enough
    if the result calls for an action itself, if it or one that shows the harm is marked, or if
    another rule supersedes it and the two cannot be in one session. To reduce a drug
    is not enough where another rule withholds it.

    Args:
        rules: the rules that hold for a patient.
        values: the values of each test in the order of time.
    """

    def is_enough(bound: BoundRule) -> bool:
        results = values.get(bound.rule.recheck)
        if any(_is_marked(e, values) for e in (bound.rule.recheck, *harm_tests(bound.rule.risk))):
            return False
        if results and _calls_for_more(bound, results):
            return False
        above = superseding(bound, rules)
        return not above or len(sharing(bound, above)) > 1

    withheld = {each.object for each in rules if each.rule.action in WITHHOLDING}
    whole = [e for e in rules if e.rule.action != "reduce" or e.object not in withheld]
    acting = [each for each in whole if not spares_first(each, values)]
    return [e for e in acting if not (_only_looks(e) or _only_lessens(e)) or is_enough(e)]


def blocks_twice(drug: str, drugs: Collection[str]) -> bool:
    """True if a drug blocks the renin-angiotensin system beside another one of the other kind.

    >>> blocks_twice("lisinopril", ["lisinopril", "valsartan"])
    True
    >>> blocks_twice("lisinopril", ["lisinopril", "captopril"])
    False
    """
    of_kinds = [any(is_of(each, kind) for each in drugs) for kind in _BLOCKERS]
    return all(of_kinds) and any(is_of(drug, kind) for kind in _BLOCKERS)


def follows_opposite(bound: BoundRule, results: Sequence[tuple[datetime, float]]) -> bool:
    """True if the opposite of what a rule treats or warns of was measured in the last three days.

    A low potassium after a high one is the end of a treatment, which another dose begins anew. Two
    drugs that lower potassium are no worry then either.

    Args:
        bound: the rule.
        results: the results of its observed test with their times, in the order of time.
    """
    limits = result_limits().get(bound.observed)
    sign = bound.feared or (bound.rule.sign if bound.given else None)
    if not sign or not limits or not results:
        return False
    now = results[-1][0]
    lately = [value for time, value in results if now - time <= _SWING]
    if sign == "below":
        return max(lately) > limits.usual_high
    return sign == "above" and min(lately) < limits.usual_low


def passes_over_bleeding(bound: BoundRule, hemoglobin: Sequence[tuple[datetime, float]]) -> bool:
    """True if a rule about bleeding does not change its first drug while the hemoglobin falls.

    A physician would look for signs of bleeding, and no service stands for that.

    Args:
        bound: the rule.
        hemoglobin: the results with their times, in the order of time.
    """
    if _HEMOGLOBIN not in harm_tests(bound.rule.risk) or not bound.drug:
        return False
    is_left = bound.drug not in bound.against and (_only_looks(bound) or bool(bound.opposed))
    return is_left and recent_direction(_HEMOGLOBIN, hemoglobin, _SWING) == "fall"


def spares_first(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> bool:
    """True if a rule leaves one of two drugs as it is although the result asks for more.

    It takes away the second drug only, and the result is marked or calls for less of the first one.
    """
    test = bound.rule.recheck
    results = values.get(test)
    if not results or not bound.beside or bound.opposed != bound.beside or bound.rule.also:
        return False
    return _is_marked(test, values) or any(
        rule.test == test
        and rule.drug
        and is_of(bound.drug, rule.drug)
        and rule.action in AGAINST
        and rule.is_met(results)
        for rule in clinical_rules()
    )


def _is_marked(test: str, values: Mapping[str, Sequence[float]]) -> bool:
    """True if the latest result of a test is marked."""
    limits, results = result_limits().get(test), values.get(test)
    return bool(limits and results and limits.is_marked(results[-1]))


def _calls_for_more(bound: BoundRule, values: Sequence[float]) -> bool:
    """True if the result that a rule repeats calls for more than a test, with or without its drugs.

    A physician replaces a low potassium under digoxin rather than only repeating the test.
    """
    drugs = [drug for drug in (bound.drug, bound.beside) if drug]
    return any(
        rule.test == bound.rule.recheck
        and rule.action in (*AGAINST, "replace")
        and rule.is_met(values)
        and (not rule.drug or any(is_of(drug, rule.drug) for drug in drugs))
        for rule in clinical_rules()
    )


def superseding(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """The rules that act where a rule asks for a test only: on its result, or on the same risk.

    Where another rule gives less of a drug for the same risk, its level is not enough, nor is
    anything else where another rule asks for the level.
    """
    same = [each for each in rules if bound.drug and each.rule.risk == bound.rule.risk]
    if bound.object == f"{bound.drug} level":
        return [each for each in same if each.opposed == bound.drug]
    levels = [each for each in same if each.object == f"{bound.drug} level"]
    if not _only_looks(bound):
        return levels
    test, drugs = bound.rule.recheck, {bound.drug, bound.beside}
    acting = [each for each in rules if not _only_looks(each)]

    def is_alike(each: BoundRule) -> bool:
        rests_on_patient = bool(each.rule.test or each.rule.age)
        return {each.drug, each.beside} == drugs or (rests_on_patient and each.drug in drugs)

    return [
        each
        for each in acting
        if (each.rule.test == test and each.rule.action != "order")
        or (each.rule.risk == bound.rule.risk and is_alike(each))
    ]


def _only_looks(bound: BoundRule) -> bool:
    """True if a rule asks for a test only: a precaution about two drugs, or a repeated test."""
    rule = bound.rule
    return (
        rule.action == "order"
        and not rule.also
        and (not rule.test or rule.recheck in (rule.object, *panel_tests(rule.object)))
    )


def _only_lessens(bound: BoundRule) -> bool:
    """True if a rule asks for less of one of two drugs, whatever their results."""
    return bound.rule.action == "reduce" and not bound.rule.test and not bound.rule.limit


def timed(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> BoundRule:
    """A rule whose test is repeated as soon as its latest results ask for.

    Args:
        bound: the rule.
        values: the values of each test in the order of time.
    """
    rule = bound.rule
    days = days_to_repeat(rule.recheck, values.get(rule.recheck, ()), rule.days)
    return _repeated_in(bound, days)


def in_step(rules: Sequence[BoundRule]) -> list[BoundRule]:
    """The timed rules; those that repeat the same test do so at the soonest of their times.

    Else one answer would repeat a panel tomorrow, and the next answer a test of it in two days.
    """
    soonest: dict[str, int] = {}
    for bound in rules:
        soonest |= {test: min(bound.days, soonest.get(test, bound.days)) for test in bound.repeated}
    days = [min((soonest[test] for test in each.repeated), default=each.days) for each in rules]
    if days == [each.days for each in rules]:
        return list(rules)
    # A panel that is repeated sooner may share another test with a third rule.
    return in_step([_repeated_in(each, at) for each, at in zip(rules, days, strict=True)])


def _repeated_in(bound: BoundRule, days: int) -> BoundRule:
    """A rule whose test is repeated after some days; the same one if it is already."""
    return bound if bound.days == days else replace(bound, sooner=days)


def at_discharge(rules: Sequence[BoundRule], home: Collection[str]) -> list[BoundRule]:
    """The rules of a patient who leaves, who comes back for tests after the first days at home.

    There are none if a result needs a test today, since the patient then stays. Rules that always
    ask for a test today are left out, as are rules about drugs given on the ward only, and those
    that begin a treatment which is watched sooner than the patient can come back.

    Args:
        rules: the timed rules.
        home: the drugs that the patient takes at home or can take there.
    """
    if any(bound.rule.days and not bound.days for bound in rules):
        return []
    going = [
        bound
        for bound in rules
        if bound.days
        and (bound.is_told or {bound.drug, bound.beside} <= {*home, ""})
        and (bound.days >= _AWAY or bound.rule.action not in _BEGINNING)
    ]
    return [_repeated_in(bound, max(bound.days, _AWAY)) for bound in going]


def latest_values(findings: Sequence[Finding]) -> dict[str, float]:
    """The latest value of each test of some findings."""
    return {
        finding.entity.name: float(finding.slots["value"].source.value)
        for finding in findings
        if finding.kind in LATEST
    }


def abnormal_first(rules: Sequence[BoundRule], findings: Sequence[Finding]) -> list[BoundRule]:
    """The rules about results beyond a limit, the farthest beyond it first."""
    latest = latest_values(findings)
    measured = [bound for bound in rules if bound.rule.test in latest and bound.rule.limit > 0]
    distances = {bound: _distance(bound, latest[bound.rule.test]) for bound in measured}
    beyond = [bound for bound in measured if distances[bound] > 0]
    return sorted(beyond, key=lambda bound: -distances[bound])


def _distance(bound: BoundRule, value: float) -> float:
    """The share of its limit by which a result is beyond it; 0 for a course."""
    rule = bound.rule
    if rule.sign == "above":
        return value / rule.limit - 1
    return 1 - value / rule.limit if rule.sign == "below" else 0
