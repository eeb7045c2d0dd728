"""Studies of an annotation: second annotators (L), and people as judges of submissions (K)."""

from collections.abc import Callable, Mapping
from pathlib import Path

from wardround.annotation.clinsql import figures
from wardround.annotation.clinsql.leaf_verdicts import LeafVerdicts
from wardround.annotation.views import SubmissionLine, SubmissionView, TableView
from wardround.core.errors import UserError


class Studies:
    """Studies of the items in a folder; see `wardround.annotation.store.AnnotationStudies`.

    Args:
        source: The folder of items.
        second: The folder of items that second annotators repeat.
        submissions: A folder of models' submissions whose leaves people judge.
        now: Returns the time as text.
    """

    def __init__(
        self,
        source: Path,
        second: Path | None,
        submissions: Path | None,
        now: Callable[[], str],
    ) -> None:
        self._source = source
        self._second = second
        self._verdicts = LeafVerdicts(source, submissions) if submissions else None
        self._now = now

    def figures(self) -> list[TableView]:
        """Outcomes of validation, and the agreement of second annotators."""
        second = [figures.agreement_table(self._source, self._second)] if self._second else []
        return [figures.outcome_table(self._source), *second]

    def draw_second(self, count: int) -> int:
        """Copies questions of validated items for second annotators; their number."""
        if self._second is None:
            raise UserError("There is no folder for them; start the page with --second FOLDER.")
        return figures.draw_second(self._source, self._second, count, self._now)

    def submissions(self, person: str) -> list[SubmissionLine]:
        """The submissions to judge; empty without any."""
        return self._verdicts.lines(person) if self._verdicts else []

    def submission(self, key: str, person: str) -> SubmissionView:
        """A submission to judge."""
        return self._required().view(key, person)

    def judge(self, key: str, verdicts: Mapping[str, bool], person: str) -> None:
        """Records a person's verdicts on leaves."""
        self._required().judge(key, verdicts, person, self._now())

    def _required(self) -> LeafVerdicts:
        if self._verdicts is None:
            raise UserError("There are no submissions; start the page with --submissions FOLDER.")
        return self._verdicts
