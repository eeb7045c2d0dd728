"""The simulated users of EHR-ChatQA, and their validator (A.3, A.4)."""

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
from wardround.core.benchmark import TrialContext, Validation
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Trajectory
from wardround.models.model import Model
from wardround.models.roles import RoleModels
from wardround.people.llm_people import LLMUser, transcript, validate
from wardround.people.person import Person, RecordedPerson
from wardround.people.scripted_user import ScriptedUser
from wardround.people.verification import Check

if TYPE_CHECKING:
    from wardround.models.client import LanguageModel


class People(Protocol):
    """Makes a trial's user, and validates what the user did."""

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """The user for one attempt."""
        ...

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Decides whether the user kept the rules."""
        ...


@dataclass(frozen=True, slots=True)
class ScriptedPeople:
    """A user who follows the instruction without a model, and so needs no validator."""

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """The scripted user, varied by the attempt's seed."""
        return ScriptedUser(task.hidden.instruction, derive_seed(context.seed, "user"))

    async def validate(
        self, task: ChatTask, trajectory: Trajectory, context: TrialContext
    ) -> Validation:
        """Valid: the script cannot break its rules."""
        return Validation("valid")


@dataclass(frozen=True, slots=True)
class ModelPeople:
    """A user on a language model, each message verified, the whole talk validated.

    Attributes:
        speaker: speaks for the user and revises what the verifier rejects.
        verifier: judges each message before it is said.
        validator: judges the talk once it is over.
        now: the current time that the user believes in.
    """

    speaker: "LanguageModel"
    verifier: "LanguageModel"
    validator: "LanguageModel"
    now: str

    def user(self, task: ChatTask, context: TrialContext) -> Person:
        """The model-played user, told what went wrong in earlier attempts."""
        rules = user_prompt(task.hidden.instruction, self.now)
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
        """The validator's finding."""
        rules = user_prompt(task.hidden.instruction, self.now)
        prompt = validator_prompt(rules, transcript(trajectory.events), task.hidden.gold_sql)
        model = _bound(self.validator, "validator", context)
        return await validate(model, prompt, trajectory.record)


def open_people(options: ChatOptions, models: RoleModels) -> People:
    """The people as a run is set.

    Raises:
        UserError: a model-played user was asked for and a role has no model.
    """
    if options.user == "script":
        return ScriptedPeople()
    return ModelPeople(
        speaker=models.open("user"),
        verifier=models.open("verifier"),
        validator=models.open("validator"),
        now=options.current_time,
    )


def user_of(people: People, task: ChatTask, context: TrialContext) -> Person:
    """The attempt's user: the recorded one when a trial is replayed."""
    if context.recorded is not None:
        return RecordedPerson(context.recorded, "user")
    return people.user(task, context)


def _bound(model: "LanguageModel", role: str, context: TrialContext) -> Model:
    return model.bind(role, context.trajectory.record, derive_seed(context.seed, role))
