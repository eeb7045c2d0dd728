"""The turns of sessions.toml, with what their answers rest on, and their mutants."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from wardround.benchmarks.assist.checks.decider import decide_items
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.orders import Written
from wardround.benchmarks.assist.sessions import GoldCall, GoldTurn, Language
from wardround.benchmarks.kit.checks import Finding
from wardround.core.actions import Call

CLOCK = "2150-03-06"


@dataclass(frozen=True)
class Played:
    """A turn in one language, with an answer and what it rests on."""

    name: str
    gold: GoldTurn
    language: Language
    answer: str
    written: tuple[Written, ...]
    evidence: Evidence
    mutants: tuple[Mapping[str, Any], ...]

    def findings(self) -> list[Finding]:
        """The decision of each item."""
        found = decide_items(self.gold, self.language, self.answer, self.written, self.evidence)
        return list(found)


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
    if "old" not in mutant:
        return replace(turn, written=_other_writes(turn, mutant))
    if mutant["old"] == "*":
        return replace(turn, answer=mutant["new"])
    assert mutant["old"] in turn.answer
    return replace(turn, answer=turn.answer.replace(mutant["old"], mutant["new"]))


def _other_writes(turn: Played, mutant: Mapping[str, Any]) -> tuple[Written, ...]:
    [write] = turn.written
    if mutant["kind"] == "missing write":
        return ()
    changed = {mutant["field"]: mutant["new"]} if "field" in mutant else {}
    other = Written(mutant.get("tool", write.tool), {**write.arguments, **changed})
    return (write, other) if mutant["kind"] == "further write" else (other,)


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
    observed = [str(call.observations["en"]) for call in calls]
    texts = (content["question"][language], *observed, content["en"].get("observed", ""))
    own = both[language]
    return Played(
        content["name"],
        gold,
        language,
        own["answer"],
        tuple(Written(call.tool, call.arguments) for call in calls if call.writes),
        Evidence(texts, tuple(Call(c.tool, dict(c.arguments)) for c in calls), CLOCK),
        tuple(own["mutants"]),
    )
