"""Decides what may be served: the agent of an assessment that passed, as it was assessed."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from wardround.assessment.decision import State, decide
from wardround.assessment.evidence import PlayedSuite
from wardround.assessment.play import Part, is_over, played_suite
from wardround.assessment.policy import Policy, ServingRules
from wardround.assessment.suites import group_of
from wardround.assistant.binding import (
    Binding,
    differences,
    policy_digest,
    read_binding,
    run_folders,
)
from wardround.assistant.content import change, content_of
from wardround.core.capabilities import Consultable
from wardround.core.confinement import ORACLE
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.runs.open_run import settings_of
from wardround.runs.settings import RunSettings

UNASSESSED = "This agent was not assessed on this database; do not rely on its answers."


@dataclass(frozen=True, slots=True)
class Serving:
    """An agent that may be served.

    Attributes:
        settings: its settings, those of its trials.
        rules: the policy's rules for serving.
        notice: a sentence for every page; "" if there is nothing to say.
        assessment: the assessment's folder; None if the agent was not assessed.
    """

    settings: RunSettings
    rules: ServingRules
    notice: str = ""
    assessment: Path | None = None

    @property
    def database(self) -> str:
        """The location of its database.

        Raises:
            UserError: it has none, or several.
        """
        locations = list(self.settings.databases.values())
        if len(locations) != 1:
            raise UserError("An assistant serves one database; assess the agent on one.")
        return locations[0]


def assessed(folder: Path, policy: Policy) -> Serving:
    """The agent of an assessment, if it passed by a policy and nothing has changed.

    Raises:
        UserError: the assessment is missing, not finished, failed or undecided; policy, agent, map,
            schema, engine or a version was changed; or it is out of date and the policy stops then.
    """
    parts = [
        Part(settings_of(each), each, group=group_of(each.name)) for each in run_folders(folder)
    ]
    if read_binding(folder).policy != policy_digest(policy):
        raise UserError(
            f"{folder} was not assessed with this policy; run the same wardround assess command "
            "with it: it takes no new trials."
        )
    settings = _served_settings(folder, parts)
    _check_passed(folder, parts, policy, settings.benchmark)
    serving = Serving(settings, policy.serving, assessment=folder)
    return replace(serving, notice=current_notice(serving))


def current_notice(serving: Serving) -> str:
    """The sentence for every page as things are now: "" if nothing has changed.

    Raises:
        UserError: the agent or database differs from the assessed one, or the assessment is out of
            date and the policy then stops.
    """
    folder, rules = serving.assessment, serving.rules
    if folder is None:
        return serving.notice
    binding = read_binding(folder)
    with closing(open_database(serving.database)) as database:
        if different := differences(binding, folder, database):
            raise UserError(
                f"{folder} is about something else than would be served ({'; '.join(different)}); "
                "assess the agent again."
            )
        outdated = "; ".join(_outdated(binding, database, rules))
    if outdated and rules.when_outdated == "stop":
        raise UserError(f"The assessment {folder} is out of date ({outdated}); assess again.")
    return f"Reassess this agent: {outdated}." if outdated else ""


def unassessed(settings: RunSettings) -> Serving:
    """An agent that was not assessed.

    Raises:
        UserError: its benchmark cannot serve people.
    """
    if not issubclass(benchmark_class(settings.benchmark), Consultable):
        raise UserError(f"{settings.benchmark} serves no people; name another benchmark.")
    return Serving(_with_an_agent(settings), ServingRules(), UNASSESSED)


def _outdated(binding: Binding, database: Database, rules: ServingRules) -> Iterator[str]:
    days = binding.age.total_seconds() / 86_400
    if days > rules.max_age_days:
        yield f"it is {days:.0f} days old, and the policy allows {rules.max_age_days:g}"
    changed = change(binding.content, content_of(database))
    if changed.share > rules.max_change:
        yield (
            f"{100 * changed.share:.0f}% of {changed.where} changed since, and the policy allows "
            f"{100 * rules.max_change:g}%"
        )


def unkept_rules(played: Sequence[PlayedSuite], policy: Policy, served: str) -> list[str]:
    """The rules that keep an agent from being served, each with its state; empty if none does.

    All rules must hold for all tasks. Rules on success must also hold for the tasks of the served
    benchmark alone: success at other tasks is no evidence about people's conversations.

    Args:
        played: the trials of the assessment.
        policy: the policy.
        served: the benchmark whose environment serves people.
    """
    unkept = _unkept(played, policy)
    success = [r for r in policy.rules if r.k is not None and r.benchmark in ("", served)]
    if unkept or not success:
        return unkept
    alone = [suite for suite in played if suite.benchmark == served]
    reasons = _unkept(alone, policy.model_copy(update={"rules": tuple(success)}))
    return [f"{reason} in {served} alone, which serves people" for reason in reasons]


def _unkept(played: Sequence[PlayedSuite], policy: Policy) -> list[str]:
    _, rules = decide(policy, played)
    return [f"{each.rule}: {each.state}" for each in rules if each.state is not State.PASSED]


def _check_passed(folder: Path, parts: list[Part], policy: Policy, served: str) -> None:
    for part in parts:
        if not is_over(part.folder):
            raise UserError(
                f"The run {part.folder} is not finished, or not as it was written; finish it with "
                "the same wardround assess command."
            )
    if unkept := unkept_rules([played_suite(part) for part in parts], policy, served):
        raise UserError(
            f"The agent of {folder} did not pass the policy, so it is not served "
            f"({'; '.join(unkept)})."
        )


def _served_settings(folder: Path, parts: list[Part]) -> RunSettings:
    """The settings of the run whose environment serves people."""
    for part in parts:
        is_served = issubclass(benchmark_class(part.benchmark), Consultable)
        if is_served and not part.settings.injected:
            return _with_an_agent(part.settings)
    raise UserError(
        f"No benchmark of {folder} serves people in conversation; assess the agent with one that "
        "does."
    )


def _with_an_agent(settings: RunSettings) -> RunSettings:
    """The settings, if their agent can answer questions that have no gold.

    Raises:
        UserError: it is the oracle.
    """
    if settings.agent == ORACLE:
        raise UserError("The oracle answers from the gold, so it cannot be served; name an agent.")
    return settings
