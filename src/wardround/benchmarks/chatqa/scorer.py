"""The score of an EHR-ChatQA trial: IncreQA by its queries, AdaptQA by its messages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wardround.benchmarks.chatqa.answers import (
    passes_published,
    passes_strict,
    tagged_answers,
    were_read,
)
from wardround.benchmarks.chatqa.judge import NO_RESULT, PAPER, STRICT, queries_of, read_texts
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.benchmarks.kit.evidence import difference, nearest
from wardround.core.benchmark import Score
from wardround.core.capabilities import Explanation
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.people.person import END
from wardround.scoring.results import Rows


def score(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """Scores a trial by published and strict grading (paper, A.6).

    In `paper` a talk that the user has not ended earns nothing, whatever was found or said. The
    cause of a failure is a measure: the program's, or the classifier's where that is undecided.
    """
    graded = _ended(_graded(task, trajectory, verdicts), trajectory)
    if all(graded.passed.values()):
        return graded
    from wardround.benchmarks.chatqa.failures.causes import failure_of  # not if all passed
    from wardround.benchmarks.chatqa.failures.classifier import classified_cause

    cause = failure_of(task, trajectory) if has_ended(trajectory) else "gave up"
    if cause == "undecided":
        cause = classified_cause(verdicts)
    return replace(graded, measures={"failure": cause})


def is_cause_open(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> bool:
    """True if a trial failed and the program does not tell why."""
    from wardround.benchmarks.chatqa.failures.classifier import SOURCE

    programs = [verdict for verdict in verdicts if verdict.source != SOURCE]
    return score(task, trajectory, programs).measures.get("failure") == "undecided"


def has_ended(trajectory: Trajectory) -> bool:
    """True if a reply of the user to the agent ends the talk; the first message cannot."""
    return any(END in text for text in trajectory.said_by("user")[1:])


def explanation(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """Shows the instruction and gold beside the nearest query, or AdaptQA's last answer."""
    hidden = task.hidden
    if task.public.flow == "adapt":
        answers = [
            text for message in trajectory.said_by("agent") for text in tagged_answers(message)
        ]
        last = answers[-1] if answers else ""
        evidence = difference(hidden.gold_answer, [[last]] if answers else None)
        return Explanation(hidden.instruction, hidden.gold_sql, last, evidence)
    queries = queries_of(trajectory)
    attempt = nearest(hidden.gold_sql, [query.sql for query in queries])
    item = next((query.item for query in reversed(queries) if query.sql == attempt), "")
    by_item = {v.item: v.evidence for v in verdicts if v.source == STRICT}
    evidence = by_item.get(item) or difference(hidden.gold_answer, None)
    return Explanation(hidden.instruction, hidden.gold_sql, attempt, evidence)


def score_incre(published: Sequence[bool], strictly: Sequence[bool]) -> dict[str, float]:
    """Computes the rewards of an IncreQA trial from its successful queries, in order.

    `paper`: any query may match the gold's first column. `strict`: the last successful query
    must return the whole gold table.

    >>> score_incre([True, False], [True, False])
    {'paper': 1.0, 'strict': 0.0}
    """
    return {
        "paper": float(any(published)),
        "strict": float(bool(strictly) and strictly[-1]),
    }


def score_adapt(gold: Rows, messages: Sequence[str]) -> dict[str, float]:
    """Computes the rewards of an AdaptQA trial from the agent's messages, in order.

    `paper`: any response may hold the right answer. `strict`: the last answer must be right.
    """
    return {
        "paper": float(passes_published(gold, messages)),
        "strict": float(passes_strict(gold, messages)),
    }


def _ended(graded: Score, trajectory: Trajectory) -> Score:
    """The score if the talk has ended; otherwise nothing in `paper`."""
    if has_ended(trajectory):
        return graded
    note = "; ".join(filter(None, ["the user had not ended the talk", graded.note]))
    return _score({**graded.rewards, "paper": 0.0}, note)


def _graded(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    if task.public.flow == "adapt":
        messages = trajectory.said_by("agent")
        rewards = score_adapt(task.hidden.gold_answer, messages)
        rewards["strict"] *= were_read(task.hidden.gold_answer, read_texts(trajectory))
        return _score(rewards, _adapt_note(rewards, messages))
    queries = queries_of(trajectory)
    by_query = {(verdict.item, verdict.source): verdict for verdict in verdicts}
    ran = [q.item for q in queries if _has_result(by_query.get((q.item, PAPER)))]
    published = [by_query[item, PAPER].passed for item in ran]
    strictly = [by_query[item, STRICT].passed for item in ran]
    rewards = score_incre(published, strictly)
    return _score(rewards, _incre_note(rewards, len(queries), len(ran)))


def _score(rewards: dict[str, float], note: str) -> Score:
    return Score({grading: bool(reward) for grading, reward in rewards.items()}, rewards, note)


def _has_result(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.reason != NO_RESULT


def _incre_note(rewards: dict[str, float], queries: int, results: int) -> str:
    """The reason why an IncreQA trial did not pass in both modes, without stored values."""
    if not queries:
        return "no query was run"
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "a column matches, but the whole table of the last query does not"
        case _, 1.0:
            return "the last table is the gold table, but the published grader cannot match it"
    failed = queries - results
    missed = "the query does not match" if queries == 1 else f"none of {queries} queries matches"
    return f"{missed} the gold{f' ({failed} gave no result)' if failed else ''}"


def _adapt_note(rewards: dict[str, float], messages: Sequence[str]) -> str:
    """The reason why an AdaptQA trial did not pass in both modes, without stored values."""
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "an answer passes as published, but the last one is not exactly the gold"
        case _, 1.0:
            return "the last answer is the gold, but not in a form that the published grader takes"
    answers = sum(len(tagged_answers(text)) for text in messages)
    return f"none of {answers} answers is the gold" if answers else "no tagged answer was given"


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial, by the cause of its failure.

    An agent that gave up misleads nobody. One that answers before the user has said everything
    ignores what is open.
    """
    return {trial.key: _harms(trial) for trial in trials if trial.outcome.scored}


def _harms(trial: TrialRecord) -> Mapping[Harm, bool]:
    cause = str(trial.measures.get("failure", ""))
    is_wrong = trial.scores.get("strict", 0.0) < 1
    return {
        Harm.CONFIDENTLY_WRONG: is_wrong and cause != "gave up",
        Harm.AMBIGUITY_IGNORED: cause == "unresolved ambiguity",
    }
