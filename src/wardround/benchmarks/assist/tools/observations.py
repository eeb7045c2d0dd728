"""Searches laboratory results, vital signs and cultures.

Source: the published tool. `paper` keeps its oddities: a name that the record has for no patient
does not filter, cultures are laboratory results whose name has "micro" in it, and vital signs
ignore stay and dates. Names are found anywhere in a label.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.chart import PatientChart, SearchResult, escaped, search
from wardround.benchmarks.assist.tools.results import (
    LEFT_OUT,
    bundle,
    label,
    labels,
    nothing_found,
)
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.store.rows import folded, has_word
from wardround.ehr.terms.chinese import english

LABORATORY, VITAL_SIGNS, MICROBIOLOGY = "laboratory", "vital-signs", "microbiology"
MOST_OBSERVATIONS = 20
# The most observations of a search that are looked through for kinds, and for names in `paper`.
_SEARCHED, _ALL = 1_000, 100_000
_CULTURES = "microbiology"
_CULTURE_SYSTEMS = ",".join(
    f"http://mimic.mit.edu/fhir/mimic/CodeSystem/mimic-microbiology-{name}|"
    for name in ("test", "organism", "antibiotic")
)
# Names of up to this many letters are part of too many others.
_SHORT = 3


def search_observations(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Observations, newest first, at most `_count` or 20."""
    count = arguments.get("_count", MOST_OBSERVATIONS)
    searched = _strict_search if chart.strict else _paper_search
    results = searched(chart, stays, arguments, count)
    if not results.matches:
        return nothing_found("The patient has no such observation.")
    shown = [_with_members(chart, each) for each in results.matches]
    return bundle("Observation", shown, results.total - len(results.matches))


def _strict_search(
    chart: PatientChart, stays: str, arguments: Mapping[str, Any], count: int
) -> SearchResult:
    category = arguments.get("category")
    criteria = {**_category(category), **_stay(stays), **_dates(arguments)}
    name = arguments.get("code")
    if not name and category != LABORATORY:
        return _newest(chart, criteria, count)
    names = _names(name) if name else []
    if names:
        criteria["code:text"] = ",".join(map(escaped, names))
    results = _newest(chart, criteria, _SEARCHED)
    named = [each for each in results.matches if not names or _is_named(_written(each), names)]
    matching = named if category != LABORATORY else _without_cultures(named)
    total = results.total - len(results.matches) + len(matching)
    return SearchResult(matching[:count], total=total)


@dataclass(frozen=True)
class ObservationsFound:
    """All observations of a category and a stay, to be filtered by name.

    Attributes:
        matches: the Bundle of a search for all of them, in strict shapes.
    """

    matches: Resource

    @cached_property
    def _named(self) -> list[tuple[str, Resource]]:
        """The observations with all their names."""
        resources = (each["resource"] for each in self.matches["entry"])
        return [(_written(each), each) for each in resources]

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(text for text, _ in self._named)

    def of(self, name: str, count: int = MOST_OBSERVATIONS) -> Resource | None:
        """The Bundle that a search for a name finds, without entries if it finds nothing.

        Args:
            name: the name.
            count: the most observations of the Bundle.

        Returns:
            The Bundle; None if only the search can tell, since some observations were left out.
        """
        if LEFT_OUT in self.matches:
            return None
        names = _names(name)
        words = [folded(each) for each in names]
        fitting = {each for each in self._texts if has_word(each, words) and _is_named(each, names)}
        matching = [each for text, each in self._named if text in fitting]
        return bundle("Observation", matching[:count], len(matching) - count)


def _paper_search(
    chart: PatientChart, stays: str, arguments: Mapping[str, Any], count: int
) -> SearchResult:
    """As published; laboratory results without an end are those before the session's day."""
    category, name = arguments.get("category", LABORATORY), arguments.get("code")
    if category == VITAL_SIGNS:
        return _paper_vital_signs(chart, name, count)
    ends = [] if "date_to" in arguments else [f"lt{chart.clock.date().isoformat()}"]
    dates = {"date": [*_dates(arguments).get("date", ()), *ends]}
    criteria = {**_category(LABORATORY), **_stay(stays), **dates}
    if category == MICROBIOLOGY:
        return SearchResult(_labelled(_all(chart, criteria), "micro")[:count])
    return _unless_unknown(chart, criteria, name, count)


def _paper_vital_signs(chart: PatientChart, name: str | None, count: int) -> SearchResult:
    """Charted vital signs; those of outpatient visits where there are none."""
    criteria = _category(VITAL_SIGNS)
    charted = _unless_unknown(chart, {**criteria, "encounter:missing": "false"}, name, count)
    return charted if charted.matches else _unless_unknown(chart, criteria, name, count)


def _unless_unknown(
    chart: PatientChart, criteria: Mapping[str, Any], name: str | None, count: int
) -> SearchResult:
    """Observations with a name; all of them if the record has it of no patient."""
    observations = _all(chart, criteria) if name else _newest(chart, criteria, _SEARCHED).matches
    results = _labelled(observations, name)
    if not results and not (name and _is_known(chart, name)):
        results = _without_cultures(observations)
    return SearchResult(results[:count])


def _is_known(chart: PatientChart, name: str) -> bool:
    """True if the record has an observation of some patient with a name, as its index finds it."""
    anybody = search(chart.server, "Observation", {"code:text": escaped(name)}, _SEARCHED)
    return bool(_labelled(anybody.matches, name))


def _all(chart: PatientChart, criteria: Mapping[str, Any]) -> Sequence[Resource]:
    return _newest(chart, criteria, _ALL).matches


def _labelled(observations: Sequence[Resource], part: str | None) -> list[Resource]:
    """Results of the laboratory with a text anywhere in their label."""
    names = map(_written, observations)
    wanted = (part or "").casefold()
    matching = [each for each, name in zip(observations, names, strict=True) if wanted in name]
    return _without_cultures(matching)


def _newest(chart: PatientChart, criteria: Mapping[str, Any], most: int) -> SearchResult:
    return chart.search("Observation", {**criteria, "_sort": "-date"}, most)


def _category(category: str | None) -> dict[str, Any]:
    match category:
        case None:
            return {"category": f"{LABORATORY},{VITAL_SIGNS}"}
        case "microbiology":
            return {"code": _CULTURE_SYSTEMS}
        case _:
            return {"category": category}


def _stay(stays: str) -> dict[str, Any]:
    return {"encounter": stays} if stays else {}


def _dates(arguments: Mapping[str, Any]) -> dict[str, Any]:
    bounds = (("ge", arguments.get("date_from")), ("le", arguments.get("date_to")))
    given = [prefix + instant for prefix, instant in bounds if instant]
    return {"date": given} if given else {}


def _names(name: str) -> list[str]:
    """The name as given and as MIMIC-IV has it; an abbreviation by its full name alone."""
    english_name = english(name, "test")
    names = [english_name] if english_name and len(name) <= _SHORT else [name, english_name]
    return list(dict.fromkeys(each for each in names if each))


def _written(observation: Resource) -> str:
    """All names of an observation."""
    return " / ".join(labels(observation.get("code"))).casefold()


def _is_named(written: str, names: Iterable[str]) -> bool:
    """True if one of the names stands in an observation's names, an abbreviation as a word."""
    return any(
        re.search(rf"\b{re.escape(each)}\b", written) if len(each) <= _SHORT else each in written
        for each in map(str.casefold, names)
    )


def _without_cultures(observations: Sequence[Resource]) -> list[Resource]:
    """Results of MIMIC-IV's laboratory, which keeps microbiology apart."""
    return [each for each in observations if not _is_culture(each)]


def _is_culture(observation: Resource) -> bool:
    return any(
        _CULTURES in each.get("system", "")
        for each in observation.get("code", {}).get("coding", ())
    )


def _with_members(chart: PatientChart, observation: Resource) -> Resource:
    """A culture without a value of its own with its organisms, an organism with its antibiotics."""
    references = [each["reference"].partition("/")[2] for each in observation.get("hasMember", ())]
    if not references or any(name.startswith("value") for name in observation):
        return observation
    members = chart.search("Observation", {"_id": ",".join(references)}).matches
    member_texts = dict.fromkeys(_member_words(each) for each in members)
    return {**observation, "valueString": ", ".join(member_texts)} if member_texts else observation


def _member_words(member: Resource) -> str:
    """The name of a member; of an antibiotic its result too."""
    name, coded = label(member.get("code")), member.get("valueCodeableConcept")
    return f"{name} {label(coded)}" if coded else name


def observation_line(observation: Resource, shapes: Shapes) -> str:
    """An observation in one line: name, value with unit, time; in strict shapes flag and range."""
    value = shown_value(observation)
    if shapes == "paper":
        time = observation.get("effectiveDateTime", "")
        return f"{label(observation.get('code'))}: {value} @ {time}"
    flags = [label(each) for each in observation.get("interpretation", ())]
    flag = f" ({', '.join(flags)})" if flags else ""
    time = observation.get("effectiveDateTime", "")
    return f"{label(observation.get('code'))}: {value}{flag}{_range(observation)} @ {time}"


def shown_value(observation: Resource) -> str:
    """The value of an observation, or of each of its components."""
    if parts := observation.get("component"):
        return ", ".join(f"{label(each.get('code'))} {shown_value(each)}" for each in parts)
    if quantity := observation.get("valueQuantity"):
        unit = quantity.get("unit", "")
        number = f"{quantity.get('comparator', '')}{quantity.get('value')}"
        return f"{number} {unit}".strip()
    concept = observation.get("valueCodeableConcept")
    return observation.get("valueString") or label(concept) or "no value"


def _range(observation: Resource) -> str:
    for limits in observation.get("referenceRange", ()):
        low, high = (limits.get(end, {}).get("value") for end in ("low", "high"))
        return f" [{'' if low is None else low}-{'' if high is None else high}]"
    return ""
