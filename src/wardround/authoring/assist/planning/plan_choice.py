"""Lets a language model choose among the drafts of a turn that lead to a whole session."""

from asyncio import Runner
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from wardround.authoring.assist import prompts
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.questions import explicit_question
from wardround.core.errors import MalformedAnswerError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message
from wardround.models.prompts import fill

PLANNER = "planner"


# The name and docstring are sent to the model: recordings are found by them.
class Choice(BaseModel):
    """The number of the next question."""

    number: int


@dataclass(frozen=True, slots=True)
class PlanChoice:
    """A model that chooses turns by their numbers, and never words one.

    Attributes:
        planner: the model.
        runner: runs its requests.
        seed: the seed of the requests.
        record: called with each request.
    """

    planner: LanguageModel
    runner: Runner
    seed: int
    record: Callable[[Requested], None]

    def chosen(
        self,
        name: str,
        cell: Cell,
        history: Sequence[Draft],
        options: Sequence[Draft],
        counts: GateCounts,
    ) -> Draft:
        """The draft that the model chooses; the first, counted, if it names none of them.

        Args:
            name: the session, for the seed.
            cell: the cell that the session fills.
            history: the turns before.
            options: the drafts, the rule's choice first.
            counts: the counts of the turns.
        """
        turn = len(history)
        counts.tried("choice", cell.arc[turn : turn + 1])
        number = self.runner.run(self._number(f"{name} {turn}", cell, history, options))
        if number is not None and 1 <= number <= len(options):
            return options[number - 1]
        counts.refused(Fault("choice", "the planner names no draft", turn), cell.arc)
        return options[0]

    async def _number(
        self, name: str, cell: Cell, history: Sequence[Draft], options: Sequence[Draft]
    ) -> int | None:
        """The number in the model's answer; None if the answer is malformed."""
        lines = [f"Scenario: {cell.scenario.replace('_', ' ')}"]
        lines += ["Asked so far:", *map(explicit_question, history)] if history else []
        lines.append("Possible next questions:")
        lines += [f"{n}. {explicit_question(each)}" for n, each in enumerate(options, start=1)]
        text = "\n".join(lines)
        model = self.planner.bind(PLANNER, self.record, derive_seed(self.seed, name, text))
        messages = [Message("system", fill(prompts.__name__, "choose.md")), Message("user", text)]
        try:
            return (await model.structured(messages, Choice)).number
        except MalformedAnswerError:
            return None
