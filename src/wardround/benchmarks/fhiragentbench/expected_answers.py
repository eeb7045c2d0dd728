"""Expected answers: by a question's SQL where it runs, else those of the file."""

from dataclasses import dataclass
from zoneinfo import ZoneInfo

from wardround.benchmarks.fhiragentbench.scorer import SQL
from wardround.benchmarks.fhiragentbench.tasks import FhirTask
from wardround.core.verdict import Verdict, program_source, state_of, verdict_key
from wardround.ehr.database import Database, QueryError
from wardround.ehr.fhir.mimic import HOSPITAL_ZONE
from wardround.scoring.written_answers import Row, same_answer

ZONE = ZoneInfo(HOSPITAL_ZONE)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected answer of a question.

    Attributes:
        rows: its rows; empty for no answer.
        file_agrees: the file has the same; None if no SQL was run.
    """

    rows: tuple[Row, ...]
    file_agrees: bool | None = None

    def verdict(self, task: FhirTask) -> Verdict | None:
        """The verdict on the file's answer, for reports."""
        if self.file_agrees is None:
            return None
        key = verdict_key(SQL, self.rows, task.hidden.answer)
        return Verdict(SQL, program_source(SQL), state_of(self.file_agrees), key=key)


def expected_answer(task: FhirTask, database: Database | None) -> Expected:
    """The expected answer; that of the file without a database, or if the SQL fails in it."""
    in_file = task.hidden.answer
    if database is None or not task.hidden.sql:
        return Expected(in_file)
    try:
        result = database.execute(task.hidden.sql, rows=None)
    except QueryError:
        return Expected(in_file)
    rows = tuple(tuple(row) for row in result.rows)
    rows = tuple(row for row in rows if any(cell is not None for cell in row))
    return Expected(rows, same_answer(rows, in_file, ZONE))
