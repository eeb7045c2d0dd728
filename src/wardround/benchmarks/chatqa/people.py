"""The simulated users of EHR-ChatQA, and their validator (A.3, A.4)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from wardround.benchmarks.chatqa.declaration import ChatOptions
from wardround.benchmarks.chatqa.prompts import (
    reflection_prompt,
    user_prompt,
    validator_prompt,
    verifier_prompt,
)
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.benchmark import TrialContext
from wardround.core.capabilities import Validation
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Said, Trajectory
from wardround.models.model import Model
from wardround.models.roles import Models
from wardround.people.llm_people import LLMUser, transcript, validate
from wardround.people.person import Person, RecordedPerson
from wardround.people.scripted_user import ScriptedUser
from wardround.people.verification import Check

if TYPE_CHECKING:
    from wardround.models.client import LanguageModel


class People(Protocol):
    """Makes the user of a trial and validates its behaviour."""

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """Makes the user of one attempt."""
        ...

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Checks a finished conversation against the user's rules."""
        ...


@dataclass(frozen=True, slots=True)
class ScriptedPeople:
    """A scripted user, which needs no model and no validator."""

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """Makes the scripted user, varied by the attempt's seed."""
        return ScriptedUser(task.hidden.instruction, derive_seed(context.seed, "user"))

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Returns valid: a script cannot break its rules."""
        return Validation("valid")


@dataclass(frozen=True, slots=True)
class ModelPeople:
    """A user played by a model; each message is verified, and the finished talk validated.

    Attributes:
        speaker: writes the user's messages and revises those that the verifier rejects.
        verifier: checks each message before it is sent.
        validator: checks the finished conversation.
        times: the current time in the user's instructions, by database.
    """

    speaker: "LanguageModel"
    verifier: "LanguageModel"
    validator: "LanguageModel"
    times: Mapping[str, str]

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """Makes the user; its verifier and reviser read what went wrong in earlier attempts."""
        rules = user_prompt(task.hidden.instruction, self.times[task.public.database])
        speaker = _bound(self.speaker, "user", context)
        check = Check(
            verifier=_bound(self.verifier, "verifier", context),
            reflector=speaker,
            verifier_prompt=verifier_prompt(rules, context.lessons),
            reflection_prompt=reflection_prompt(rules, context.lessons),
            note=context.trajectory.record,
        )
        return LLMUser(speaker, rules, check)

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Asks the validator about the finished conversation."""
        rules = user_prompt(task.hidden.instruction, self.times[task.public.database])
        prompt = validator_prompt(rules, transcript(trajectory.events), task.hidden.gold_sql)
        model = _bound(self.validator, "validator", context)
        return await validate(model, prompt, trajectory.record)


def early_name(withheld: Sequence[str], trajectory: Trajectory) -> str:
    """The first withheld name that the user says before the agent says one; "" if it says none."""
    names = [(name, re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.I)) for name in withheld]
    for event in trajectory.events:
        if not isinstance(event, Said):
            continue
        named = next((name for name, words in names if words.search(event.text)), "")
        if named:
            return named if event.speaker == "user" else ""
    return ""


def open_people(options: ChatOptions, models: Models, times: Mapping[str, str]) -> People:
    """Opens the scripted user, or the models of a model-played user.

    Args:
        options: the benchmark's options.
        models: the run's models.
        times: the current time by database.

    Raises:
        UserError: the user is to be played by a model and a role has none.
    """
    if options.user == "script":
        return ScriptedPeople()
    return ModelPeople(
        speaker=models.open("user"),
        verifier=models.open("verifier"),
        validator=models.open("validator"),
        times=times,
    )


def user_of(people: People, task: ChatTask, context: TrialContext) -> Person:
    """Returns the attempt's user, or the recorded user when a trial is replayed."""
    if context.recorded is not None:
        return RecordedPerson(context.recorded, "user")
    return people.user(task, context)


def _bound(model: "LanguageModel", role: str, context: TrialContext) -> Model:
    return model.bind(role, context.trajectory.record, derive_seed(context.seed, role))
