"""An agent that attacks: it knows where everything is, and reports what it got."""

import json
import os
from typing import Any, ClassVar

from wardround.assessment.audit.hostile import (  # noqa: F401 - each adds its attacks
    answers,
    connections,
    forgery,
    grader,
    remains,
)
from wardround.assessment.audit.hostile.answers import shifted
from wardround.assessment.audit.hostile.attack import carried_out
from wardround.core.actions import Action, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.task import Briefing

REPORT = "attacks"
PLACE = f"{__name__}:open_agents"


class Hostile:
    """Carries out the attacks once a process, and says what they got."""

    _report: ClassVar[dict[str, dict[str, str]]] = {}

    def __init__(self, kinds: str, targets: str, rules: str) -> None:
        self._kinds = kinds
        self._targets = targets
        self._rules = rules

    async def act(self, observation: Observation) -> Action:
        """The report on all attacks, as JSON."""
        targets = json.loads(self._targets)
        if targets["parent"] == os.getpid():
            raise RuntimeError("the attacks are meant for a process of their own")
        shown = shifted(self._rules + observation.text)
        targets["gold"] = [text for text in targets["gold"] if text not in shown]
        for kind in self._kinds.split(","):
            if kind not in self._report:
                self._report[kind] = carried_out(kind, targets)
        return Say(json.dumps({REPORT: self._report}))


def open_agents(model: object, *, kinds: str, targets: str) -> Any:
    """Returns a maker of agents.

    Args:
        model: not used.
        kinds: the kinds of attacks, with commas.
        targets: what they know, as JSON; see `prepared_targets`.
    """

    def make(briefing: Briefing, context: AgentContext) -> Hostile:
        return Hostile(kinds, targets, briefing.rules)

    return make
