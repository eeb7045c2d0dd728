"""The prompt of the judges of simulated users."""

from wardround.models.prompts import fill


def judge_prompt(question: str, reply: str) -> str:
    """What a judge is asked about a reply (BIRD-Interact, R.2); it sees no gold."""
    return fill(__name__, "judge.md", question=question, reply=reply)
