"""The language models that make sessions: a planner, and a writer with its checker."""

from asyncio import Runner
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from wardround.authoring.assist.planning.plan_choice import PLANNER, PlanChoice
from wardround.authoring.assist.rewording.rewriter import CHECKER, WRITER, Rewriter
from wardround.authoring.assist.rewording.session_wordings import SessionWordings
from wardround.core.trajectory import Requested
from wardround.models.roles import Models


@dataclass(frozen=True, slots=True)
class MakerModels:
    """The work of models; None leaves it to the rules.

    Attributes:
        choice: chooses among the drafts of a turn.
        wordings: rewords the questions of a session.
    """

    choice: PlanChoice | None = None
    wordings: SessionWordings | None = None

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the models by role."""
        models = {PLANNER: self.choice.planner} if self.choice else {}
        if self.wordings:
            rewriter = self.wordings.rewriter
            models |= {WRITER: rewriter.writer, CHECKER: rewriter.checker}
        return {role: model.settings.name for role, model in models.items()}

    @property
    def provenance(self) -> Mapping[str, str]:
        """The fields of a session that name the planner, if a model is one."""
        return {PLANNER: self.choice.planner.settings.name} if self.choice else {}


NO_MODELS = MakerModels()


@contextmanager
def maker_models(
    models: Models, seed: int, record: Callable[[Requested], None]
) -> Iterator[MakerModels]:
    """Opens the models of the roles that have one, and closes them.

    Raises:
        UserError: the checker of a writer has no model.
    """
    planner, writer = models.find(PLANNER), models.find(WRITER)
    with Runner() as runner:
        try:
            rewriter = writer and Rewriter(writer, models.open(CHECKER), seed, record)
            yield MakerModels(
                PlanChoice(planner, runner, seed, record) if planner else None,
                SessionWordings(rewriter, runner) if rewriter else None,
            )
        finally:
            runner.run(models.close())
