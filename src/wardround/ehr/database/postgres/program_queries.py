"""A trial's database as seen by a test program in the sandbox."""

from collections.abc import Callable, Iterable, Sequence

from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import RESET_SETTINGS, Start, run_statements


class ProgramQueries:
    """Runs a program's SQL; see `sandbox.test_programs.run.Database`.

    Args:
        start: The database and its state.
        resetting: Statements after which the session's settings are reset, so that the program
            sees what they wrote.
        rewritten: Applies the named rewriting to a text of SQL.
    """

    def __init__(
        self, start: Start, resetting: Iterable[str], rewritten: Callable[[str, str], str]
    ) -> None:
        self.name = start.workspace.name
        self._start = start
        self._resetting = frozenset(resetting)
        self._rewritten = rewritten

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Run texts of statements; returns the last result or the error as a tuple."""
        statements = [each for text in texts for each in split_statements(text)]
        outcome = run_statements(self._start.workspace, statements, self._start.seconds)
        if not self._resetting.isdisjoint(statements):
            run_statements(self._start.workspace, RESET_SETTINGS, self._start.seconds)
        if outcome.error is not None:
            return ("error", outcome.error.kind == "timeout", outcome.state, str(outcome.error))
        columns, rows = (outcome.last.columns, outcome.last.rows) if outcome.last else ((), [])
        return ("rows", columns, rows, outcome.changed)

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """The texts after the named rewriting."""
        return [self._rewritten(name, text) for text in texts]
