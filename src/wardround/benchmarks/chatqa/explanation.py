"""A failed EHR-ChatQA trial beside its gold: the nearest query, or the last answer."""

from collections.abc import Sequence

from wardround.benchmarks.chatqa.answers import tagged_answers
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.benchmarks.chatqa.verdicts import STRICT, queries_of
from wardround.benchmarks.kit.evidence import difference, nearest
from wardround.core.benchmark import Explanation
from wardround.core.trajectory import Trajectory
from wardround.core.verdict import Verdict


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
