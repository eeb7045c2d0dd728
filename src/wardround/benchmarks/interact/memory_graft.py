"""Memory grafting: the clarifications that another run's agent obtained (BIRD-Interact, 5.2)."""

from collections.abc import Mapping
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.run_reader import read_settings, read_trajectory, read_trials
from wardround.core.trajectory import Called, Noted, Said, Trajectory
from wardround.people.clarifying.questions import CLARIFICATION


def grafts_of(run: Path) -> Mapping[str, str]:
    """The questions and answers of a run's first trial of each task, as text, by task id.

    Raises:
        UserError: The folder is no run, or nobody asked anything in it.
    """
    read_settings(run)  # says so if it is no run
    found: dict[str, str] = {}
    for record in read_trials(run):
        talk = asked(read_trajectory(run, record.trajectory))
        if talk and record.task not in found:
            found[record.task] = talk
    if not found:
        raise UserError(
            f"In {run} nobody asked anything; name a run whose agent asked with --graft."
        )
    return found


def asked(trajectory: Trajectory) -> str:
    """The questions that the user answered, each with its answer."""
    lines: list[str] = []
    question = ""
    for event in trajectory.events:
        if isinstance(event, Said) and event.speaker == "agent":
            question = event.text
        elif isinstance(event, Called) and event.tool == "ask":
            question = str(event.arguments.get("question", ""))
        elif isinstance(event, Noted) and event.subject == CLARIFICATION:
            lines += [f"Question: {question}", f"Answer: {event.data['reply']}"]
    return "\n".join(lines)
