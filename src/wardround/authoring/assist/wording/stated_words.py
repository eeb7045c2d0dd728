"""The words of what answers and rubrics state: findings, comparisons, scores and rules."""

from collections.abc import Mapping

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Computed
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.comparisons import ranked_findings
from wardround.authoring.assist.wording.order_texts import when
from wardround.authoring.assist.wording.questions import entity_name
from wardround.authoring.assist.wording.wordings import (
    filled,
    finding_wordings,
    finding_words,
    value_words,
    wordings,
)
from wardround.authoring.slots import with_article
from wardround.benchmarks.assist.sessions import Language
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.classes import is_swallowed

_DAYS = ("day", "before_day")
# Ends of the names of services that are asked for or given, and not measured.
_KINDS = {" consult": "consult", " transfusion": "transfuse"}
_VITAL_SIGNS = (
    "heart rate", "systolic blood pressure", "respiratory rate", "temperature celsius",
    "o2 saturation pulseoxymetry",
)  # fmt: skip


def comparison_words(draft: Draft, language: Language, *, as_item: bool = False) -> str:
    """The sentence on how two findings compare, or the item about it."""
    table = finding_wordings(draft.findings[0], language)["compared"]
    ranked = [entity_name(each.entity, language) for each in ranked_findings(draft)]
    outcome = "other" if ranked else "same"
    words = dict(zip(("earlier", "later"), ranked, strict=False))
    return filled(table[f"{outcome}_item" if as_item else outcome], words)


def score_words(score: Computed, language: Language) -> dict[str, str]:
    """The words for a score, its value and its unit."""
    table = wordings(language)["score"]
    return {
        "score": table[score.function],
        "value": value_words(score.value, "number", language),
        "unit": table["units"].get(score.function, ""),
    }


def stated_words(finding: Finding, language: Language) -> dict[str, str]:
    """The words of a finding; those of the patient's dealings with a drug are sentences."""
    words = finding_words(finding, language)
    if _on_one_day(finding):
        words |= timed_days(finding, language)
    if finding.kind == "adherence":
        table = wordings(language)["adherence"]
        words["because"] = table["because"].format(**words) if "why" in words else ""
        words["misses"] = table["misses" if is_swallowed(finding.entity.name) else "misses_using"]
        texts = table[str(finding.slots["state"].source.value)]
        words |= {name: filled(text, words) for name, text in texts.items()}
    return words


def _on_one_day(finding: Finding) -> bool:
    """True if a result and the one that it follows are of the same day."""
    days = [finding.slots[name].source.value for name in _DAYS if name in finding.slots]
    return len(days) > 1 and days[0] == days[1]


def timed_days(finding: Finding, language: Language) -> dict[str, str]:
    """The words for the days of a finding with the times of day."""
    text = wordings(language)["words"]["at"]
    times = {}
    for name in _DAYS:
        source = finding.slots[name].source if name in finding.slots else None
        if isinstance(source, Computed):
            day, _, time = str(source.of[0].value).partition("T")
            times[name] = text.format(day=day, time=time[: len("06:00")])
    return times


def rule_words(bound: BoundRule, language: Language) -> dict[str, str]:
    """The words for the drugs, tests, risk and times of a rule."""
    rule = bound.rule
    drug = bound.drug if rule.object == "" else bound.object
    return {
        "drug": value_words(drug, "drug", language),
        "first": value_words(bound.drug, "drug", language),
        "beside": value_words(bound.beside, "drug", language),
        "object": _object_words(bound, language),
        "an_object": _with_article(bound, language),
        "risk": value_words(rule.risk, "diagnosis", language),
        "avoided": value_words(bound.avoided, "drug", language),
        "raised": value_words(bound.raised, "drug", language),
        "level": value_words(bound.level, "test", language),
        "questioned": value_words(bound.questioned, "drug", language),
        "recheck": _repeated(rule.recheck, language),
        "when": when(bound.days, language),
    }


def _repeated(test: str, language: Language) -> str:
    """The words for a test that is to be repeated; Chinese has another verb for a vital sign."""
    text = wordings(language)["repeated"]["vital" if test in _VITAL_SIGNS else "test"]
    return str(text.format(test=value_words(test, "test", language)))


def adding_words(bound: BoundRule, drug: str, name: str, language: Language) -> str:
    """The sentence or item that says that another drug adds to the risk of a rule.

    Args:
        bound: the rule.
        drug: the drug.
        name: the wording, "adding" or "adding_item".
        language: the language.
    """
    words = {"risk": value_words(bound.rule.risk, "diagnosis", language)}
    words["drug"] = value_words(drug, "drug", language)
    return filled(wordings(language)["rule"][name], words)


def action_wordings(bound: BoundRule, language: Language) -> Mapping[str, str]:
    """The wordings of the action of a rule; consults are asked for, blood is given, tests done."""
    kinds = (kind for end, kind in _KINDS.items() if bound.object.endswith(end))
    name = next(kinds, bound.rule.action)
    texts: Mapping[str, str] = wordings(language)["action"][name]
    return texts


def _object_words(bound: BoundRule, language: Language) -> str:
    """The words for the drug, service or test that an action is about."""
    if bound.rule.action != "order":
        return value_words(bound.object, "drug", language)
    kind = "service" if chinese(bound.object, "service") else "test"
    return value_words(bound.object, kind, language)


def _with_article(bound: BoundRule, language: Language) -> str:
    """The words for a drug, service or test; an English service has its article."""
    words = _object_words(bound, language)
    if language == "zh" or bound.rule.action != "order" or not chinese(bound.object, "service"):
        return words
    return with_article(words)
