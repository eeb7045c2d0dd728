"""The turns of sessions.toml, their evidence, and their mutants."""

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from wardround.benchmarks.assist.checks.compiler import turn_checks
from wardround.benchmarks.assist.checks.decider import decide
from wardround.benchmarks.assist.checks.evidence import TurnEvidence
from wardround.benchmarks.assist.checks.model import Finding
from wardround.benchmarks.assist.tasks import GoldCall, GoldTurn, Language
from wardround.benchmarks.assist.turns import PlayedCall

CLOCK = "2150-03-06"


@dataclass(frozen=True)
class Played:
    """A turn in one language, with an answer and what it rests on."""

    name: str
    gold: GoldTurn
    language: Language
    answer: str
    evidence: TurnEvidence
    mutants: tuple[Mapping[str, Any], ...]

    def findings(self) -> list[Finding]:
        """The decision of each item."""
        return [
            decide(check, self.answer, self.language, self.evidence)
            for check in turn_checks(self.gold, self.name)
        ]


@cache
def turns() -> tuple[Played, ...]:
    """Every turn in both languages."""
    path = Path(__file__).with_name("sessions.toml")
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_played(each, language) for each in content["turn"] for language in ("en", "zh"))


def mutants() -> Iterator[tuple[Played, Mapping[str, Any]]]:
    """Every turn with each of its mutants."""
    for turn in turns():
        yield from ((turn, mutant) for mutant in turn.mutants)


def mutated(turn: Played, mutant: Mapping[str, Any]) -> Played:
    """A turn with another answer, or other writes."""
    if "old" in mutant:
        assert mutant["old"] in turn.answer or mutant["old"] == "*"
        answer = mutant["new"]
        if mutant["old"] != "*":
            answer = turn.answer.replace(mutant["old"], mutant["new"])
        return replace(turn, answer=answer)
    return replace(turn, evidence=replace(turn.evidence, written=_other_writes(turn, mutant)))


def _other_writes(turn: Played, mutant: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    [call] = turn.gold.calls
    written = turn.evidence.written
    if mutant["kind"] == "missing write":
        return ()
    changed = {mutant["field"]: mutant["new"]} if "field" in mutant else {}
    other = resource(mutant.get("tool", call.tool), {**call.arguments, **changed})
    return (*written, other) if mutant["kind"] == "further write" else (other,)


def _played(content: Mapping[str, Any], language: Language) -> Played:
    calls = tuple(
        GoldCall(c["tool"], c["arguments"], dict.fromkeys(("en", "zh"), c.get("observation")))
        for c in content["calls"]
    )
    both: dict[Language, Mapping[str, Any]] = {"en": content["en"], "zh": content["zh"]}
    gold = GoldTurn(
        content["type"],
        None,
        content.get("source", "ehr"),
        None,
        calls,
        {each: both[each]["answer"] for each in both},
        {each: tuple(both[each]["rubric"]) for each in both},
    )
    observed = content["en"].get("observed", "")
    evidence = TurnEvidence(
        content["question"][language],
        gold,
        language,
        tuple(PlayedCall(c.tool, dict(c.arguments), _text(c) + observed) for c in calls),
        written=tuple(resource(c.tool, c.arguments) for c in calls if c.writes),
        clock=CLOCK,
    )
    own = both[language]
    return Played(content["name"], gold, language, own["answer"], evidence, tuple(own["mutants"]))


def _text(call: GoldCall) -> str:
    return json.dumps(call.observations["en"])


def resource(tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The resource that a tool writes."""
    kind = tool.partition(".")[0]
    if kind == "MedicationRequest":
        days = {"expectedSupplyDuration": {"value": given.get("duration_days"), "unit": "d"}}
        parts = [given.get(name, "") for name in ("dose", "route", "frequency")]
        return {
            "resourceType": kind,
            "medicationCodeableConcept": {"text": given["medication"]},
            "dosageInstruction": [
                {
                    "text": " ".join(parts),
                    "route": {"text": parts[1]},
                    "timing": {"code": {"text": parts[2]}},
                }
            ],
            "reasonCode": [{"text": given.get("indication", "")}],
            "dispenseRequest": days,
        }
    if kind == "ServiceRequest":
        return {
            "resourceType": kind,
            "code": {"text": given["service_type"]},
            "priority": given["priority"],
            "note": [{"text": given["note"]}],
            "occurrenceDateTime": given["target_date"],
        }
    return {
        "resourceType": kind,
        "category": [{"text": given["category"]}],
        "code": {"text": given["code"], "coding": [{"display": given["detail"]}]},
    }
