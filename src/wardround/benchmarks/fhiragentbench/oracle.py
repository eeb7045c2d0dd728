"""The agent that knows the gold: it retrieves resources of the true types, and answers."""

from collections.abc import Iterator, Sequence

from wardround.benchmarks.fhiragentbench.declaration import Strategy
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.scoring.written_answers import Row


class OracleAgent:
    """Calls some tools, then answers."""

    def __init__(self, actions: Iterator[Action]) -> None:
        self._actions = actions

    async def act(self, observation: Observation) -> Action:
        """The next call, or the answer."""
        return next(self._actions)


def oracle(task: FhirTask, expected: Sequence[Row], strategy: Strategy) -> AgentMaker:
    """Agents that know what a task expects, within the tools of a strategy."""
    return lambda briefing, context: OracleAgent(_actions(task, expected, strategy))


def _actions(task: FhirTask, expected: Sequence[Row], strategy: Strategy) -> Iterator[Action]:
    types = list(task.hidden.resources)
    turns, _, way = strategy.partition("-")
    if types and way == "request":
        yield _request(task, types)
    elif len(types) > 1 and turns == "single":
        yield Call("get_all_resources_by_patient_fhir_id", _patient(task))
    else:
        for type in types:
            arguments = {"resource_type": type, **_patient(task)}
            yield Call("get_resources_by_patient_fhir_id", arguments)
    rows = [row[0] if len(row) == 1 else list(row) for row in expected]
    yield Say(as_json(rows))


def _request(task: FhirTask, types: list[str]) -> Call:
    patient = task.public.patient
    if len(types) == 1:
        query = f"{types[0]}?_id={','.join(task.hidden.resources[types[0]])}"
    else:
        query = f"Patient/{patient}/$everything"
    return Call("fhir_request_get", {"query_string": query})


def _patient(task: FhirTask) -> dict[str, str]:
    return {"patient_fhir_id": task.public.patient}
