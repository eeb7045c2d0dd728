"""The validator: a model judges if the simulated user kept its rules (Lee et al. 2025, A.4)."""

from typing import Literal

from pydantic import BaseModel

from wardround.core.benchmark import Validation
from wardround.core.errors import MalformedAnswerError
from wardround.core.trajectory import Noted
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.verification import Note


class Finding(BaseModel):
    """The validator's answer; `broken_rule` and `evidence` are empty when there is no error."""

    explanation: str
    broken_rule: str
    evidence: str
    result: Literal["user_error", "no_error"]


async def validate(model: Model, prompt: str, note: Note) -> Validation:
    """Judges a finished conversation.

    Args:
        model: the judge, bound at temperature 0 to the role "validator".
        prompt: the rules, the conversation, the gold and the criteria.
        note: records the finding in full, with its evidence.

    Returns:
        "valid", "user_error" with the reason and the rule, or "undecided" if the model gives no
        valid finding even after repairs.

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
