"""The files that an agent consists of, so that a change of them is noticed."""

from hashlib import file_digest, sha256
from pathlib import Path

from wardround.agents.isolated.program import AgentProgram
from wardround.agents.isolated.visible_files import located
from wardround.core.confinement import is_own

_CACHES = "__pycache__"


def code_files(agent: str) -> list[Path]:
    """The files of an agent by its name; none is imported.

    Those of its package, of its loose module, or of its command with the files that are arguments
    of it. Wardround's own agents have none: they change with its version.
    """
    if is_own(agent):
        return []
    program = AgentProgram(agent, {})
    if program.is_command:
        return [path for word in program.words() if (path := Path(word)).is_file()]
    module = program.place.partition(":")[0]
    code = located(module)
    if not module or not code.folders:
        return [Path(code.file)] if module and code.file else []
    return sorted(path for folder in code.folders for path in files_in(Path(folder)))


def files_in(path: Path) -> list[Path]:
    """A file, or the files of a folder, without Python's caches."""
    if path.is_file():
        return [path]
    return sorted(each for each in path.rglob("*") if each.is_file() and _CACHES not in each.parts)


def agent_digest(agent: str, agent_model: Path | None) -> str:
    """A digest of the files of an agent and of its trained file or folder; "" if it has none."""
    files = [*code_files(agent), *(files_in(agent_model) if agent_model else ())]
    if not files:
        return ""
    return sha256("".join(map(content_digest, files)).encode()).hexdigest()


def content_digest(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
