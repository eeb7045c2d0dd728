"""The prompt of the judges of simulated users."""

from importlib.resources import files


def judge_prompt(question: str, reply: str) -> str:
    """What a judge is asked about a reply (BIRD-Interact, R.2); it sees no gold."""
    text = (files(__name__) / "judge.md").read_text(encoding="utf-8")
    return text.replace("{{ question }}", question).replace("{{ reply }}", reply).strip()
