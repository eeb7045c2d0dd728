"""The prompt of the judges of simulated users."""

from wardround.models.prompts import fill


def judge_prompt(question: str, reply: str) -> str:
    """The prompt to rate a reply (Huo et al. 2025, R.2), which holds no gold."""
    return fill(__name__, "judge.md", question=question, reply=reply)
