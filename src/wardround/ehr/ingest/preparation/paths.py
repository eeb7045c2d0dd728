"""Step: shorten eICU's path names of diagnoses and treatments (Lee et al. 2022, C.1.2).

The names in the published questions are the third and fourth level of a path:
'cardiovascular|ventricular disorders|congestive heart failure|diastolic|chronic' is
'congestive heart failure - diastolic'.
"""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import columns, number, replace


def short_name(path: str) -> str:
    """SQL that shortens a column of paths; paths of up to two levels keep the last."""
    levels = f"string_split({path}, '|')"
    return (
        f"CASE WHEN len({levels}) > 2 THEN array_to_string({levels}[3:4], ' - ')"
        f" ELSE {levels}[-1] END"
    )


def _apply(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        if spec.path and spec.path in columns(work.connection, spec.name):
            long = number(
                work.connection,
                f"SELECT count(*) FROM {spec.name} WHERE contains({spec.path}, '|')",
            )
            shortened = f"{short_name(spec.path)} AS {spec.path}"
            replace(work.connection, spec.name, f"SELECT * REPLACE ({shortened}) FROM {spec.name}")
            rows = number(work.connection, f"SELECT count(*) FROM {spec.name}")
            yield Effect("paths", spec.name, rows, rows, long)


PATHS = Step("paths", "eICU's path names shortened", _apply)
