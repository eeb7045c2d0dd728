"""Verdicts on the answer of an EHRSQL trial: one for each grading."""

from collections.abc import Iterable, Mapping

from wardround.benchmarks.ehrsql.declaration import PUBLISHED
from wardround.benchmarks.ehrsql.evaluate import run_answer, run_gold
from wardround.benchmarks.ehrsql.modes import MODES, Mode
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.scorer import ABSENT, ITEM, judge, source_of
from wardround.benchmarks.ehrsql.tasks import EhrsqlTask
from wardround.core.benchmark import Prediction
from wardround.core.verdict import Verdict, state_of, verdict_key

STRICT = MODES["strict"]


def gradings_of(tasks: Iterable[EhrsqlTask], grading: str) -> list[Mode]:
    """How tasks are graded: as their form publishes it, as the run is set, then strictly."""
    forms = dict.fromkeys(task.hidden.form for task in tasks)
    chosen = () if grading in (PUBLISHED, STRICT.name) else (grading,)
    return [*(MODES[name] for name in dict.fromkeys([*forms, *chosen])), STRICT]


def answer_verdict(
    task: EhrsqlTask, answer: Prediction | None, mode: Mode, results: Results
) -> Verdict:
    """Compares what an answer gives with what the gold gives.

    The reason is why the answer gave no result: a kind of `QueryError`, or "absent".
    """
    gold = run_gold(task, results, mode)
    ran = run_answer(task, answer.answer, results, mode) if answer else ABSENT
    return Verdict(
        ITEM,
        source_of(mode.name),
        state_of(judge(gold, ran, mode).right),
        reason=ran.problem if ran else "",
        key=_key(task, answer, mode),
    )


def is_graded(
    task: EhrsqlTask, answer: Prediction | None, mode: Mode, known: Mapping[str, Verdict]
) -> bool:
    """True if there is a verdict on this answer by this grading."""
    return _key(task, answer, mode) in known


def _key(task: EhrsqlTask, answer: Prediction | None, mode: Mode) -> str:
    return verdict_key(mode.name, task.hidden.gold, task.public.now, answer and answer.answer)
