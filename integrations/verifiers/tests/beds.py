"""A benchmark of two wards for the tests; it runs in wardround's environment."""

from wardround.core.actions import Call, Observation, Say
from wardround.core.benchmark import Score
from wardround.core.declaration import BenchmarkDeclaration, Grading
from wardround.core.errors import InfraError
from wardround.core.task import Briefing, Suite, Task
from wardround.core.tools import ToolSpec

BEDS = {"icu": 12, "surgery": 30, "broken": 0}
TOOL = ToolSpec(
    "beds",
    "The beds of a ward.",
    {"type": "object", "properties": {"ward": {"type": "string"}}, "required": ["ward"]},
)


class Ward:
    """Answers calls, and ends with the first words."""

    briefing = Briefing("Answer with a number.", (TOOL,))

    def __init__(self, ward: str) -> None:
        self._ward = ward

    async def start(self) -> Observation:
        return Observation(f"How many beds has {self._ward}?", "nurse")

    async def step(self, action: Call | Say) -> Observation:
        if isinstance(action, Say):
            return Observation("Thank you.", "nurse", done=True)
        if self._ward == "broken":
            raise InfraError("the ward is closed")
        return Observation(str(BEDS[action.arguments["ward"]]), "tool")

    async def close(self) -> None:
        pass


class Beds:
    """Passes the right number."""

    declaration = BenchmarkDeclaration(
        "beds", "Count beds.", "beds:Beds", gradings=(Grading("strict", "the number"),)
    )

    @classmethod
    def open(cls, opening):
        return cls()

    @staticmethod
    def read(source):
        return Suite(
            tuple(Task(ward, None, number) for ward, number in BEDS.items()), source="beds"
        )

    def load(self, source, chosen):
        return chosen.of(self.read(source))

    async def environment(self, task, context):
        return Ward(task.id)

    async def judge(self, task, trajectory, context):
        return
        yield

    @staticmethod
    def score(task, trajectory, verdicts):
        right = trajectory.said_by("agent")[-1] == str(task.hidden)
        return Score({"strict": right}, {"strict": float(right)})

    @staticmethod
    def summarize(trials):
        raise NotImplementedError

    def oracle(self, task):
        raise NotImplementedError

    def fingerprints(self):
        return {}

    def close(self) -> None:
        pass
