"""Values of recorded resources, by the names that plans of sessions use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wardround.authoring.assist.wording.wordings import value_words
from wardround.benchmarks.assist.sessions import Language

_DAY = len("2180-01-01")
_FLAGS = {"high": "偏高", "low": "偏低", "normal": "正常", "abnormal": "异常"}


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """A resource of a recorded result, in the language of a text."""

    resource: Mapping[str, Any]
    language: Language = "en"

    @property
    def value(self) -> str:
        """The value of an observation, without trailing zeros."""
        return _number(self.resource["valueQuantity"]["value"])

    @property
    def unit(self) -> str:
        """The unit of an observation."""
        return str(self.resource["valueQuantity"].get("unit", ""))

    @property
    def flag(self) -> str:
        """High, low or normal, by the range that the record gives."""
        value = self.resource["valueQuantity"]["value"]
        limits: Mapping[str, Any] = next(iter(self.resource.get("referenceRange", ())), {})
        low, high = (limits.get(end, {}).get("value") for end in ("low", "high"))
        flag = "normal"
        if high is not None and value > high:
            flag = "high"
        elif low is not None and value < low:
            flag = "low"
        elif self.resource.get("interpretation") and low is None and high is None:
            flag = "abnormal"
        return flag if self.language == "en" else _FLAGS[flag]

    @property
    def date(self) -> str:
        """The day of an observation, a dose or a report."""
        period = self.resource.get("effectivePeriod", {})
        return str(self.resource.get("effectiveDateTime") or period["start"])[:_DAY]

    @property
    def dose(self) -> str:
        """The dose of an order, or of a dose that was given."""
        if "dosage" in self.resource:
            return _amount(self.resource["dosage"]["dose"])
        return _amount(self.resource["dosageInstruction"][0]["doseAndRate"][0]["doseQuantity"])

    @property
    def route(self) -> str:
        """The route of an order."""
        route = _label(self.resource["dosageInstruction"][0]["route"])
        return value_words(route, "route", self.language)

    @property
    def start(self) -> str:
        """The day on which an order starts."""
        return str(self._period["start"])[:_DAY]

    @property
    def stop(self) -> str:
        """The day on which an order ends."""
        return str(self._period["end"])[:_DAY]

    @property
    def admitted(self) -> str:
        """The day of admission."""
        return str(self.resource["period"]["start"])[:_DAY]

    @property
    def discharged(self) -> str:
        """The day of discharge."""
        return str(self.resource["period"]["end"])[:_DAY]

    @property
    def kind(self) -> str:
        """The type of admission."""
        return str(self.resource["_mimic"]["admission_type"])

    @property
    def destination(self) -> str:
        """The place that a patient leaves for."""
        return str(self.resource["_mimic"]["discharge_location"])

    @property
    def _period(self) -> Mapping[str, Any]:
        period: Mapping[str, Any] = self.resource["dispenseRequest"]["validityPeriod"]
        return period


def _number(value: float) -> str:
    return f"{value:g}"


def _amount(quantity: Mapping[str, Any]) -> str:
    return f"{_number(quantity['value'])} {quantity.get('unit', '')}".strip()


def _label(concept: Mapping[str, Any]) -> str:
    codings = concept.get("coding", [{}])
    return str(concept.get("text") or codings[0].get("display") or codings[0].get("code", ""))
