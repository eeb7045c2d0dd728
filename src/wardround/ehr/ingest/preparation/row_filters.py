"""Steps that filter rows by conditions of the recipe."""

from collections.abc import Callable, Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import delete


def _filter_step(step: str) -> Callable[[Work], Iterator[Effect]]:
    def apply(work: Work) -> Iterator[Effect]:
        for spec in work.recipe.specs:
            if step in spec.keep:
                removed = f"({spec.keep[step]}) IS NOT TRUE"
                yield Effect(step, spec.name, *delete(work.connection, spec.name, removed))

    return apply


VITALS = Step(
    "vitals", "of charted items only weight, height and seven vital signs", _filter_step("vitals")
)
MILLILITRES = Step(
    "millilitres", "of fluids given and lost only those in millilitres", _filter_step("millilitres")
)
