"""PhysAssistBench as a benchmark: sessions on a FHIR record, each with writes of its own."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Self

from wardround.benchmarks.assist import prompts, scorer
from wardround.benchmarks.assist.conversation import conversation
from wardround.benchmarks.assist.declaration import BENCHMARK, CALLS, PAPER, AssistOptions
from wardround.benchmarks.assist.environment import SessionEnvironment
from wardround.benchmarks.assist.judge import Graders, verdicts
from wardround.benchmarks.assist.oracle import oracle
from wardround.benchmarks.assist.people import REPLAY, open_patients, patient_kind, with_memory
from wardround.benchmarks.assist.record import instant, open_record, sessions_without_record
from wardround.benchmarks.assist.rubric_judge import Judge
from wardround.benchmarks.assist.sessions import PREPARE, WRITES, Session
from wardround.benchmarks.assist.tasks import load_tasks, shipped_tasks
from wardround.benchmarks.assist.tools.arguments import Shapes
from wardround.benchmarks.assist.tools.desk import CarriedOut, Desk, session_tools
from wardround.benchmarks.assist.tools.recorded import RecordedDesk, RecordedReads
from wardround.benchmarks.assist.turns import SETTINGS, WRITTEN, SessionSettings
from wardround.benchmarks.kit.databases import only_database
from wardround.core.actions import Action, Call, Say
from wardround.core.benchmark import (
    AgentMaker,
    JudgeContext,
    Score,
    Summary,
    TrialContext,
)
from wardround.core.capabilities import Explanation, GoldDefects
from wardround.core.conversation import Conversation
from wardround.core.declaration import Opening
from wardround.core.harms import Harm
from wardround.core.packaged_data import read_text
from wardround.core.record import TrialRecord
from wardround.core.task import EVERY_TASK, Briefing, Chosen, Defect, Suite, runnable
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Noted, Trajectory
from wardround.core.trial import FinishedTrial
from wardround.core.verdict import Verdict
from wardround.ehr.fhir.charts import Chart
from wardround.models.prompts import fill
from wardround.models.roles import Models
from wardround.people.patient.memory import folder_memories

ABSENT = "its patient is not in the record: recorded calls are answered, no others"


class AssistBenchmark:
    """The benchmark, open on one record."""

    declaration = BENCHMARK

    def __init__(
        self, chart: Chart, location: str, opening: Opening[AssistOptions, Models]
    ) -> None:
        self._chart = chart
        self._location = location
        self._options = opening.options
        self._graders = Graders(opening.options, _judge(opening))
        self._patient = open_patients(opening.options, opening.models)
        self._memories = folder_memories(memories) if (memories := self._options.memories) else {}
        self._named = bool(opening.databases)
        self._shapes: Shapes = "paper" if opening.grading == PAPER else "strict"

    @classmethod
    def open(cls, opening: Opening[AssistOptions, Models]) -> Self:
        """Opens the benchmark on a FHIR record, a MIMIC-IV database, or the made record.

        Raises:
            UserError: several records are named, or one cannot be opened.
        """
        if named := only_database(opening.databases, "PhysAssistBench"):
            return cls(open_record(named.location), named.name, opening)
        from wardround.benchmarks.assist.suite.record import made_chart  # builds it on first use

        return cls(made_chart(opening.options.sessions), "made", opening)

    @staticmethod
    def read(source: Path | None) -> Suite:
        """The sessions of a published file or folder, or the shipped ones."""
        return load_tasks(source) if source else shipped_tasks()

    @staticmethod
    def chosen_suite(options: AssistOptions) -> Suite:
        """The shipped sessions that the options name."""
        return shipped_tasks(options.sessions)

    def load(self, source: Path | None, chosen: Chosen = EVERY_TASK) -> Suite:
        """Reads the chosen sessions.

        Those whose patient is missing in a named record cannot be run; without one, recorded calls
        are answered.

        Raises:
            UserError: no session can be run.
        """
        read = self.read(source) if source else self.chosen_suite(self._options)
        suite = self._with_memories(chosen.of(read))
        absent = self._absent(suite)
        if self._named:
            return runnable(suite, lambda task: self._problem(task, absent))
        absent_defects = tuple(Defect(id, ABSENT) for id in sorted(absent))
        suite = replace(suite, known=suite.known + absent_defects)
        return runnable(suite, lambda task: self._problem(task, set()))

    def _with_memories(self, suite: Suite) -> Suite:
        """The sessions, those without a memory with the one that the run's folder has."""
        tasks = (with_memory(task, self._memories) for task in suite.tasks)
        return replace(suite, tasks=tuple(tasks))

    def _absent(self, suite: Suite) -> set[str]:
        """The ids of sessions whose patient is not in the record."""
        with closing(self._chart.workspace(gated=False)) as server:
            return set(
                sessions_without_record(server, {task.id: task.hidden for task in suite.tasks})
            )

    def _problem(self, task: Session, absent: set[str]) -> str:
        """Why a session cannot be run; "" if it can."""
        if task.id in absent:
            return f"the record has no such patient or stay: {task.hidden.subject}"
        if patient_kind(self._options, task.hidden) != REPLAY and task.hidden.memory is None:
            return "it has no memory of its patient, so the patient can only be replayed"
        if not self._questions(task):
            form = "explicit" if self._options.explicit else "implicit"
            return f"it has no {form} questions in {self._options.language}"
        return ""

    async def environment(self, task: Session, context: TrialContext) -> SessionEnvironment:
        """The environment of one attempt."""
        options, gold, language = self._options, task.hidden, self._options.language
        with closing(self._chart.workspace(gated=False)) as server:
            clock = instant(gold, server)
            recorded = bool(sessions_without_record(server, {task.id: gold}))
        # As published, reads are not gated by the clock but for laboratory results.
        server = self._chart.workspace(clock, gated=self._shapes == "strict", validation="record")
        kind = patient_kind(options, gold)
        settings = SessionSettings(
            language, options.explicit, options.literacy, kind, str(options.threshold), recorded
        )
        context.trajectory.record(Noted(SETTINGS, asdict(settings)))
        desk = Desk(
            server,
            gold.subject,
            gold.admission,
            clock,
            self._patient(gold, context),
            gold.session,
            shapes=self._shapes,
            carried_out=lambda call: _note(context.trajectory, call),
        )
        calls = [call for turn in gold.turns for call in turn.calls]
        answering = RecordedDesk if recorded else RecordedReads
        tools = Toolbox(session_tools(answering(desk, calls, language)))
        return SessionEnvironment(
            self._briefing(tools),
            _opening_text(task),
            self._questions(task),
            tools,
            read_text(prompts.__name__, f"answer.{language}.md").strip(),
            context.trajectory,
            server.close,
        )

    def _questions(self, task: Session) -> tuple[str, ...]:
        asked = task.public.explicit if self._options.explicit else task.public.questions
        return asked[self._options.language]

    def _briefing(self, tools: Toolbox) -> Briefing:
        language = self._options.language
        rules = fill(prompts.__name__, f"rules.{language}.md", calls=CALLS)
        return Briefing(rules, tools.specs, {"language": language})

    def judge(
        self, task: Session, trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """A verdict on each rubric item, from programs, from the judge, or both."""
        return verdicts(task, trajectory, self._graders, context)

    @staticmethod
    def score(task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """The share of items passed in each turn, in both gradings."""
        return scorer.score(task, trajectory, verdicts)

    @staticmethod
    def explain(task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
        """The questions and gold answers beside the given ones, with the failed items."""
        return scorer.explanation(task, trajectory, verdicts)

    @staticmethod
    def conversation(
        task: Session, trajectory: Trajectory, verdicts: Sequence[Verdict]
    ) -> Conversation:
        """The session's turns in both languages, with calls, patient, rubric and verdicts."""
        return conversation(task, trajectory, verdicts)

    @staticmethod
    def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
        """Tells which sessions write wrongly, use later data or state unfounded numbers."""
        return scorer.harms(trials)

    @staticmethod
    def answer(briefing: Briefing, text: str) -> Sequence[Action]:
        """Prepares an answer and says a text."""
        answer = text or "I cannot tell that from the record."
        return [Call(PREPARE, {"answer_type": "chat"}), Say(answer)]

    @staticmethod
    def summarize(trials: Sequence[TrialRecord]) -> Summary:
        """The paper's tables of a run."""
        from wardround.benchmarks.assist.report.summary import summarize  # not needed to run trials

        return summarize(trials)

    @staticmethod
    def compare(runs: Sequence[tuple[Mapping[str, Any], Sequence[TrialRecord]]]) -> Summary:
        """The paper's tables over several runs."""
        from wardround.benchmarks.assist.comparison import compare  # not needed to run trials

        return compare(runs)

    def oracle(self, task: Session) -> AgentMaker:
        """Agents that know this session's gold."""
        return oracle(task, self._options.language)

    def gold_defects(self, trial: FinishedTrial, failure: str) -> GoldDefects:
        """The faults of a session's gold: failures, differing results, facts in no result."""
        from wardround.benchmarks.assist.gold_review import reviewed  # not needed to run trials

        return reviewed(trial, failure, self._chart, self._shapes)

    def fingerprints(self) -> dict[str, str]:
        """The record's digest."""
        return {self._location: self._chart.fingerprint}

    def close(self) -> None:
        """Nothing is open between trials."""


def _opening_text(task: Session) -> str:
    """The facts that a session begins with, and the ids that its tools take."""
    gold = task.hidden
    stay = f"\nhadm_id: {gold.admission}" if gold.admission is not None else ""
    return f"{task.public.opening}\nsubject_id: {gold.subject}{stay}"


def _note(trajectory: Trajectory, call: CarriedOut) -> None:
    if call.tool in WRITES:
        data = {"tool": call.tool, "arguments": dict(call.arguments), "resource": call.observation}
        trajectory.record(Noted(WRITTEN, data))


def _judge(opening: Opening[AssistOptions, Models]) -> Judge | None:
    options = opening.options
    model = opening.models.find("judge") if options.verdicts != "program" else None
    return Judge(model, opening.grading) if model else None
