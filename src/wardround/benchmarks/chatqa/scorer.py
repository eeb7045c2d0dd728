"""The score of an EHR-ChatQA trial: IncreQA by its queries, AdaptQA by what was said."""

from collections.abc import Sequence

from wardround.benchmarks.chatqa.answers import passes_published, passes_strict, tagged_answers
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.benchmarks.chatqa.verdicts import NO_RESULT, PAPER, STRICT, queries_of
from wardround.benchmarks.kit.evidence import difference, nearest
from wardround.core.benchmark import Explanation, Score
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict
from wardround.scoring.results import Rows


def score(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
    """The score of a trial, as published and strictly (paper, A.6)."""
    if task.public.flow == "adapt":
        messages = trajectory.said_by("agent")
        rewards = score_adapt(task.hidden.gold_answer, messages)
        return _score(rewards, _adapt_note(rewards, messages))
    queries = queries_of(trajectory)
    found = {(verdict.item, verdict.source): verdict for verdict in verdicts}
    ran = [q.item for q in queries if _has_result(found.get((q.item, PAPER)))]
    published = [found[item, PAPER].passed for item in ran]
    strictly = [found[item, STRICT].passed for item in ran]
    rewards = score_incre(published, strictly)
    return _score(rewards, _incre_note(rewards, len(queries), len(ran)))


def explanation(task: ChatTask, trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Explanation:
    """The instruction and gold beside what the agent ran, or of AdaptQA last answered."""
    hidden = task.hidden
    if task.public.flow == "adapt":
        answers = [
            text for message in trajectory.said_by("agent") for text in tagged_answers(message)
        ]
        last = answers[-1] if answers else ""
        found = difference(hidden.gold_answer, [[last]] if answers else None)
        return Explanation(hidden.instruction, hidden.gold_sql, last, found)
    queries = queries_of(trajectory)
    attempt = nearest(hidden.gold_sql, [query.sql for query in queries])
    item = next((query.item for query in reversed(queries) if query.sql == attempt), "")
    by_item = {v.item: v.evidence for v in verdicts if v.source == STRICT}
    found = by_item.get(item) or difference(hidden.gold_answer, None)
    return Explanation(hidden.instruction, hidden.gold_sql, attempt, found)


def score_incre(published: Sequence[bool], strictly: Sequence[bool]) -> dict[str, float]:
    """Rewards of an IncreQA trial, for the queries that gave a result in the order they were run.

    `paper`: any query may match the gold's first column. `strict`: the last query that gave a
    result must give the gold table whole.

    >>> score_incre([True, False], [True, False])
    {'paper': 1.0, 'strict': 0.0}
    """
    return {
        "paper": float(any(published)),
        "strict": float(bool(strictly) and strictly[-1]),
    }


def score_adapt(gold: Rows, messages: Sequence[str]) -> dict[str, float]:
    """Rewards of an AdaptQA trial for what the agent said to the user, in order.

    `paper`: any response may hold the right answer. `strict`: the last answer must be right.
    """
    return {
        "paper": float(passes_published(gold, messages)),
        "strict": float(passes_strict(gold, messages)),
    }


def _score(rewards: dict[str, float], note: str) -> Score:
    return Score({grading: bool(reward) for grading, reward in rewards.items()}, rewards, note)


def _has_result(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.reason != NO_RESULT


def _incre_note(rewards: dict[str, float], queries: int, results: int) -> str:
    """Why an IncreQA trial did not pass in both modes, without any value."""
    if not queries:
        return "no query was run"
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "a column matches, but the whole table of the last query does not"
        case _, 1.0:
            return "the last table is the gold table, but the published grader cannot match it"
    return f"none of {queries} queries matches the gold ({queries - results} gave no result)"


def _adapt_note(rewards: dict[str, float], messages: Sequence[str]) -> str:
    """Why an AdaptQA trial did not pass in both modes, without any value."""
    match rewards["paper"], rewards["strict"]:
        case 1.0, 1.0:
            return ""
        case 1.0, _:
            return "an answer passes as published, but the last one is not exactly the gold"
        case _, 1.0:
            return "the last answer is the gold, but not in a form that the published grader takes"
    answers = sum(len(tagged_answers(text)) for text in messages)
    return f"none of {answers} answers is the gold" if answers else "no tagged answer was given"
