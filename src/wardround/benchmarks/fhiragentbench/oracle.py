"""The agent that knows the gold: it retrieves the true resources and states the true answer."""

from wardround.benchmarks.fhiragentbench.answers import values
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.benchmarks.kit.agent_texts import as_json
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentMaker
from wardround.core.task import Briefing


class OracleAgent:
    """Retrieves what the answer rests on, in the strategy's way, and answers."""

    def __init__(self, task: FhirTask, briefing: Briefing) -> None:
        # If the truth names no types, any retrieval counts.
        types, patient = list(task.hidden.ids) or ["Patient"], task.public.patient
        if "fhir_request_get" in {tool.name for tool in briefing.tools}:
            calls = [Call("fhir_request_get", {"query_string": _query(task)})]
        else:
            arguments = [{"resource_type": each, "patient_fhir_id": patient} for each in types]
            calls = [Call("get_resources_by_patient_fhir_id", each) for each in arguments]
        self._calls: list[Call] = calls
        self._answer = as_json(values(task.hidden.answer))

    async def act(self, observation: Observation) -> Action:
        """The next call, then the answer."""
        if self._calls:
            return self._calls.pop(0)
        return Say(f"The final answer is: {self._answer if self._answer != '[]' else 'no answer'}")


def oracle(task: FhirTask) -> AgentMaker:
    """Agents that know this task's gold."""
    return lambda briefing, context: OracleAgent(task, briefing)


def _query(task: FhirTask) -> str:
    """A request that finds the true resources: by id for one type, else all about the patient."""
    ids = task.hidden.ids or {"Patient": (task.public.patient,)}
    if len(ids) == 1:
        [(type, several)] = ids.items()
        return f"{type}?_id={','.join(several)}&_count=1000"
    return f"Patient/{task.public.patient}/$everything"
