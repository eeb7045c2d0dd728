"""Lists the modules that a command imports, for tests of start-up imports."""

import subprocess
import sys

HEAVY = {"pydantic_ai", "numpy", "openai", "jinja2", "duckdb", "sqlglot", "rich", "httpx2"}


def imported(*words: str) -> set[str]:
    """The modules imported by a command at its end."""
    program = (
        "import sys\n"
        "from wardround.apps.command_line import main\n"
        f"sys.argv = ['wardround', *{list(words)!r}]\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('MODULES', *sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(result.stdout.partition("MODULES")[2].split())
