"""Checks that a task's gold can be graded on this database, before any agent is blamed."""

from wardround.benchmarks.chatqa.oracle import as_text
from wardround.benchmarks.chatqa.scorer import score_adapt, score_incre
from wardround.benchmarks.chatqa.tasks import ChatTask
from wardround.core.limits import Limits
from wardround.ehr.database import Database, QueryError
from wardround.scoring.results import column_matches, same_table


def check_gold(task: ChatTask, database: Database, limits: Limits) -> str:
    """The reason why a task's gold cannot be graded here; "" if it can.

    The gold query must run and return rows. For IncreQA its result must pass both graders
    against the gold answer; for AdaptQA the gold answer, said in answer tags, must.
    """
    try:
        seconds = limits.statement_seconds
        rows = database.execute(task.hidden.gold_sql, rows=None, seconds=seconds).rows
    except QueryError as error:
        return f"its gold query fails ({error}); mend gold_sql or check the database."
    if not rows:
        return "its gold query returns no row, and an empty result cannot pass; mend gold_sql."
    if task.public.flow == "incre":
        gold = task.hidden.gold_answer
        rewards = score_incre([column_matches(gold, rows)], [same_table(gold, rows)])
    else:
        said = f"<answer>{as_text(task.hidden.gold_answer)}</answer>"
        rewards = score_adapt(task.hidden.gold_answer, [said])
    failed = [mode for mode, reward in rewards.items() if reward < 1]
    if failed:
        return f"its gold does not pass the {' and '.join(failed)} grader on this database."
    return ""
