"""Steps that keep the rows which meet a condition of the form."""

from collections.abc import Callable, Iterator

from wardround.ehr.ingest.preparation.plan import Effect, Step, Work
from wardround.ehr.ingest.preparation.working_database import delete


def _keep(step: str) -> Callable[[Work], Iterator[Effect]]:
    def apply(work: Work) -> Iterator[Effect]:
        for record in work.form.records:
            if step in record.keep:
                gone = f"({record.keep[step]}) IS NOT TRUE"
                yield Effect(step, record.name, *delete(work.lake, record.name, gone))

    return apply


VITALS = Step(
    "vitals", "of charted items only weight, height and seven vital signs", _keep("vitals")
)
MILLILITRES = Step(
    "millilitres", "of fluids given and lost only those in millilitres", _keep("millilitres")
)
