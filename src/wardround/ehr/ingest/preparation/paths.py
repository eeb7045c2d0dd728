"""Step: eICU's path names of diagnoses and treatments shortened (EHRSQL C.1.2).

The names in EHRSQL's published questions are the third and fourth of a path's levels:
'cardiovascular|ventricular disorders|congestive heart failure|diastolic|chronic' is
'congestive heart failure - diastolic'.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import columns, number, replace


def short_name(path: str) -> str:
    """SQL that shortens a column of paths; one of one or two levels keeps its last."""
    levels = f"string_split({path}, '|')"
    return (
        f"CASE WHEN len({levels}) > 2 THEN array_to_string({levels}[3:4], ' - ')"
        f" ELSE {levels}[-1] END"
    )


def _apply(work: Work) -> Iterator[Effect]:
    for record in work.form.records:
        if record.path and record.path in columns(work.lake, record.name):
            long = number(
                work.lake, f"SELECT count(*) FROM {record.name} WHERE contains({record.path}, '|')"
            )
            shortened = f"{short_name(record.path)} AS {record.path}"
            replace(work.lake, record.name, f"SELECT * REPLACE ({shortened}) FROM {record.name}")
            rows = number(work.lake, f"SELECT count(*) FROM {record.name}")
            yield Effect("paths", record.name, rows, rows, long)


PATHS = Step("paths", "eICU's path names shortened", _apply)
