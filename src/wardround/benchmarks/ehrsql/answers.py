"""The answer of a trial: the agent's last accepted submission or refusal."""

from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.benchmarks.ehrsql.tools import ABSTAIN, SUBMIT
from wardround.benchmarks.kit.tool_results import is_error
from wardround.core.benchmark import Prediction
from wardround.core.trajectory import Called, Returned, Trajectory


def answer_of(trajectory: Trajectory) -> Prediction | None:
    """The SQL that was submitted, "null" for a refusal, None where the trial ended without either.

    A call that was refused for a wrong argument is no answer.
    """
    call: Called | None = None
    answer: Prediction | None = None
    for event in trajectory.events:
        if isinstance(event, Called):
            call = event
        elif isinstance(event, Returned) and call and not is_error(event.text):
            answer = _answer(call) or answer
    return answer


def _answer(call: Called) -> Prediction | None:
    confidence = call.arguments.get("confidence")
    sure = None if confidence is None else float(confidence)
    if call.tool == ABSTAIN:
        return Prediction(NULL, sure)
    return Prediction(str(call.arguments["query"]), sure) if call.tool == SUBMIT else None
