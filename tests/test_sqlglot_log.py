"""What sqlglot logs quotes statements, so it reaches nobody."""

import subprocess
import sys

import pytest

PROGRAM = """
import logging
logging.basicConfig(level=logging.DEBUG)
{imports}
import sqlglot
for sql, read, write in (
    ("ALTER TABLE t FOO 's3cret'", "postgres", "postgres"),
    ("SET x = 's3cret' foo bar", "postgres", "mysql"),
    ("CALL f('s3cret')", "tsql", "sqlite"),
    ("VACUUM 's3cret'", "postgres", "postgres"),
    ("SELECT LAST_VALUE('s3cret' IGNORE NULLS) FROM t", "duckdb", "sqlite"),
):
    sqlglot.transpile(sql, read=read, write=write)
"""


@pytest.mark.parametrize(
    "imports",
    ["import wardround", "import wardround.ehr.database", "import wardround.apps.command_line"],
)
def test_statements_are_not_logged(imports: str) -> None:
    assert "s3cret" in _logged("")
    assert _logged(imports) == ""


def _logged(imports: str) -> str:
    command = [sys.executable, "-c", PROGRAM.format(imports=imports)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stderr
