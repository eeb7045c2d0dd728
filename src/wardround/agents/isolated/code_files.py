"""The files of an agent's code, so that a change of them is noticed."""

from pathlib import Path

from wardround.agents.isolated.program import AgentProgram
from wardround.agents.isolated.visible_files import located
from wardround.core.confinement import is_own

_CACHES = "__pycache__"


def code_files(agent: str) -> list[Path]:
    """The files of an agent by its name, without importing any.

    These are the files of its package or loose module, or its command and the files among its
    arguments. Wardround's own agents have none: they change with its version.
    """
    if is_own(agent):
        return []
    program = AgentProgram(agent, {})
    if program.is_command:
        return [path for word in program.words() if (path := Path(word)).is_file()]
    module = program.import_path.partition(":")[0]
    code = located(module)
    if not module or not code.folders:
        return [Path(code.file)] if module and code.file else []
    files = (path for folder in code.folders for path in Path(folder).rglob("*"))
    return sorted(path for path in files if path.is_file() and _CACHES not in path.parts)
