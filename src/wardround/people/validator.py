"""The validator: a language model judges whether the simulated user kept its rules (paper, A.4)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from wardround.core.benchmark import Validation
from wardround.core.errors import MalformedAnswerError
from wardround.core.trajectory import Noted
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.verification import Note


class Finding(BaseModel):
    """The validator's answer; `broken_rule` and `evidence` are empty when there is no error."""

    model_config = ConfigDict(defer_build=True)

    explanation: str
    broken_rule: str
    evidence: str
    result: Literal["user_error", "no_error"]


async def validate(model: Model, prompt: str, note: Note) -> Validation:
    """Judges a talk that is over.

    Args:
        model: the judge, bound at temperature 0 to the role "validator".
        prompt: the rules, the talk and the gold, and what to look for.
        note: where the finding is recorded in full, its evidence included.

    Returns:
        "valid", "user_error" with why and which rule, or "undecided" when the model gives no
        valid finding, repairs included.

    Raises:
        InfraError: the provider failed.
    """
    try:
        finding = await model.structured([Message("user", prompt)], Finding)
    except MalformedAnswerError as error:
        return Validation("undecided", f"the validator gave no valid finding: {error}")
    note(Noted("validation", finding.model_dump()))
    if finding.result == "no_error":
        return Validation("valid", finding.explanation)
    return Validation("user_error", _lesson(finding))


def _lesson(finding: Finding) -> str:
    if not finding.broken_rule:
        return finding.explanation
    return f"{finding.explanation} Broken rule: {finding.broken_rule}"
