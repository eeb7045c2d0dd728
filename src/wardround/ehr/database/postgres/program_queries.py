"""A trial's own database as a test program of the sandbox reaches it."""

from collections.abc import Callable, Iterable, Sequence

from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import AS_LOOKED_AT, Start, run_statements


class ProgramQueries:
    """Runs a program's SQL; see `sandbox.test_programs.run.Database`.

    Args:
        start: the database.
        resetting: after one of these statements, settings that it made in the session are reset:
            the program is to see what it has written.
        rewritten: a text of SQL after the rewriting of a name.
    """

    def __init__(
        self, start: Start, resetting: Iterable[str], rewritten: Callable[[str, str], str]
    ) -> None:
        self.name = start.workspace.name
        self._start = start
        self._resetting = frozenset(resetting)
        self._rewritten = rewritten

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Runs texts of statements."""
        statements = [each for text in texts for each in split_statements(text)]
        ran = run_statements(self._start.workspace, statements, self._start.seconds)
        if not self._resetting.isdisjoint(statements):
            run_statements(self._start.workspace, AS_LOOKED_AT, self._start.seconds)
        if ran.error is not None:
            return ("error", ran.error.kind == "timeout", ran.state, str(ran.error))
        columns, rows = (ran.last.columns, ran.last.rows) if ran.last else ((), [])
        return ("rows", columns, rows, ran.changed)

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """Texts of SQL after the rewriting of a name."""
        return [self._rewritten(name, text) for text in texts]
