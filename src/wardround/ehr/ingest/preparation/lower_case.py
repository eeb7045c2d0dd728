"""Step: all text in lower case (Lee et al. 2022, D.1)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import columns, count, number, replace
from wardround.ehr.schema import quoted


def _apply(work: Work) -> Iterator[Effect]:
    for spec in work.recipe.specs:
        texts = [
            quoted(name)
            for name, kind in columns(work.connection, spec.name).items()
            if kind == "VARCHAR"
        ]
        if texts:
            yield _lowered(work, spec.name, texts)


def _lowered(work: Work, table: str, texts: list[str]) -> Effect:
    upper = " OR ".join(f"{text} <> lower({text})" for text in texts)
    changed = number(work.connection, f"SELECT count(*) FROM {table} WHERE {upper}")
    if changed:
        lowered = ", ".join(f"lower({text}) AS {text}" for text in texts)
        replace(work.connection, table, f"SELECT * REPLACE ({lowered}) FROM {table}")
    rows = count(work.connection, table)
    return Effect("lower", table, rows, rows, changed)


LOWER = Step("lower", "all text in lower case", _apply)
