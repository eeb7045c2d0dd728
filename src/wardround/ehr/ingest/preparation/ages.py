"""Step: only patients aged 11 to 89 (Lee et al. 2022, D.1)."""

from collections.abc import Iterator

from wardround.ehr.ingest.preparation.orphans import keep_people
from wardround.ehr.ingest.preparation.plan import Effect, Step, Work


def _apply(work: Work) -> Iterator[Effect]:
    plan = work.plan
    chosen = (
        f"SELECT person FROM ({work.recipe.people})"
        f" WHERE youngest >= {plan.youngest} AND oldest <= {plan.oldest}"
    )
    yield Effect("ages", "people", *keep_people(work, chosen))


AGES = Step("ages", "only people aged 11 to 89 at every admission", _apply)
