"""The prompt of judges of simulated users."""

from wardround.models.prompts import fill


def judge_prompt(question: str, reply: str) -> str:
    """Returns the prompt to rate a reply (Huo et al. 2025, R.2), without gold."""
    return fill(__name__, "judge.md", question=question, reply=reply)
