"""The start of an agent's process: confined, with the files, scratch and environment it gets."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wardround.agents.isolated.program import AgentProgram
from wardround.agents.isolated.protected_files import check_readable, runs_in, secret_paths
from wardround.agents.isolated.visible_files import (
    Code,
    located,
    package_folders,
    placed,
    program_paths,
    python_paths,
    system_paths,
)
from wardround.core.allowances import OPTION, Allowances, parse_allowances
from wardround.core.confinement import Confinement, Kind
from wardround.core.errors import UserError
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.serialization import to_line
from wardround.sandbox.confinement import NAMESPACES, View, available, confined_command
from wardround.sandbox.namespaces import SCRATCH
from wardround.sandbox.privileges import unprivileged

_ENVIRONMENT = {"LANG": "C.UTF-8", "TZ": "UTC", "USER": "agent", "LOGNAME": "agent"}
_PATH = "/usr/local/bin:/usr/bin:/bin"
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")

# Finds wardround and the agent by their places, since the folders around them are not visible.
_HOST = """
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from json import loads
places, sys.path[:] = loads(sys.argv[1])
class Places:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in places:
            return None
        file, folders = places[name]
        if file:
            return spec_from_file_location(name, file, submodule_search_locations=folders or None)
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = folders
        return spec
sys.meta_path.insert(0, Places)
from wardround.agents.isolated.host import main
main()
"""


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start.

    Attributes:
        command: Its command.
        environment: Its environment; None for the user's.
    """

    command: Sequence[str]
    environment: Mapping[str, str] | None


def confinement_of(program: AgentProgram) -> Confinement:
    """The confinement of a program, as `run.json` records it.

    Raises:
        UserError: The platform cannot confine it, an allowed variable is not set, or it would see
            a path that it must not read.
    """
    if program.unconfined:
        return Confinement(Kind.UNCONFINED)
    mechanisms = _mechanisms(program)
    allowances = parse_allowances(program.allowed)
    allowances.environment()
    for path in allowances.paths:
        check_readable(path, _of_run(program), f"{OPTION} read:{path}")
    for path in program.files():
        check_readable(path, _of_run(program), f"The argument {path} of the agent's command")
    with launch(program):  # refuses a run's folder among the agent's own
        pass
    return Confinement(Kind.CONFINED, mechanisms, program.allowed)


@contextmanager
def launch(
    program: AgentProgram, readable: Sequence[Path] = (), writable: Sequence[Path] = ()
) -> Iterator[Launch]:
    """The start of a program's process; its scratch folder lasts as long as the block.

    Args:
        program: The agent.
        readable: Further files that it may read.
        writable: Files or folders that it may change.

    Raises:
        UserError: The program is not a command, or the platform cannot confine it.
    """
    if program.unconfined:
        yield Launch(unprivileged(_command(program, {}, sys.path)), None)
        return
    mechanisms = _mechanisms(program)
    allowances = parse_allowances(program.allowed)
    code_by_root = _code_by_root(program)
    view = _view(program, allowances, code_by_root, readable, writable)
    command = _command(program, code_by_root, [str(Path.cwd()), *filter(None, sys.path)])
    if NAMESPACES in mechanisms:
        yield _confined(view, command, SCRATCH, mechanisms, allowances)
        return
    with ScratchFolder() as scratch:
        yield _confined(view, command, str(scratch.path), mechanisms, allowances)


def _confined(
    view: View,
    command: list[str],
    scratch: str,
    mechanisms: Sequence[str],
    allowances: Allowances,
) -> Launch:
    folders = [str(Path(command[0]).parent), *_PATH.split(":")]
    environment = {
        **_ENVIRONMENT,
        "PATH": ":".join(dict.fromkeys(folders)),
        **dict.fromkeys(("HOME", "TMPDIR"), scratch),
        **{name: os.environ[name] for name in _THREADS if name in os.environ},
        **allowances.environment(),
    }
    return Launch(confined_command(view, command, scratch, mechanisms), environment)


def _view(
    program: AgentProgram,
    allowances: Allowances,
    code_by_root: Mapping[str, Code],
    readable: Sequence[Path],
    writable: Sequence[Path],
) -> View:
    """The files of a program."""
    code_paths = [path for code in code_by_root.values() for path in code.paths]
    model = [program.agent_model] if program.agent_model else []
    given = [*model, *(program.trained or {}).values(), *allowances.paths, *program.files()]
    running = program_paths(program.words()[0]) if program.is_command else python_paths()
    roots, links = placed(
        [
            *system_paths(network=allowances.network),
            *running,
            *code_paths,
            *map(str, (*given, *readable)),
        ]
    )
    if program.run and (within := [r for r in roots if program.run.resolve().is_relative_to(r)]):
        raise UserError(
            f"The run's folder {program.run} is in {within[0]}, which the agent sees; name another "
            "with --out."
        )
    agents = [code for name, code in code_by_root.items() if name != "wardround"]
    hidden = [
        *secret_paths(_installations(roots), _top(program)),
        *program.protected,
        *(run for code in agents for folder in code.folders for run in runs_in(Path(folder))),
    ]
    beneath = dict.fromkeys(
        str(real)
        for path in hidden
        if _is_seen(real := path.resolve())
        and str(real) not in roots
        and any(str(real).startswith(f"{root}/") for root in roots)
    )
    writes, more_links = placed(map(str, writable))
    return View(
        tuple(roots),
        tuple(writes),
        tuple((links | more_links).items()),
        tuple(beneath),
        network=allowances.network,
    )


def _of_run(program: AgentProgram) -> tuple[Path, ...]:
    """The files and folders of the run."""
    return (*program.protected, program.run) if program.run else program.protected


def _installations(roots: Sequence[str]) -> Iterator[Path]:
    """Folders of installed packages in what is visible, of any Python."""
    patterns = ("python3*/site-packages", "python3*/dist-packages", "python3/dist-packages")
    for root in map(Path, roots):
        yield root
        for pattern in patterns if root.name.startswith("lib") else ():
            yield from root.glob(pattern)
    yield from map(Path, package_folders())


def _command(
    program: AgentProgram, code_by_root: Mapping[str, Code], path: Sequence[str]
) -> list[str]:
    """The command that runs a program: its own, or Python's with the agent's host."""
    if program.is_command:
        return program.words()
    commands = {name: (code.file, code.folders) for name, code in code_by_root.items()}
    return [sys.executable, "-I", "-c", _HOST, to_line([commands, list(path)]).decode()]


def _code_by_root(program: AgentProgram) -> dict[str, Code]:
    """Wardround and the agent's own code; empty for a command."""
    if program.is_command:
        return {}
    located_code = {name: located(name) for name in ("wardround", _top(program))}
    return {name: code for name, code in located_code.items() if code.paths}


def _top(program: AgentProgram) -> str:
    """The package or module that holds the agent's function; "" for a command."""
    return "" if program.is_command else program.import_path.partition(":")[0].partition(".")[0]


def _mechanisms(program: AgentProgram) -> tuple[str, ...]:
    mechanisms = available()
    if not mechanisms:
        raise UserError(
            f"This machine cannot confine the agent {program.name!r} (Linux with seccomp, and "
            "landlock or user namespaces, could); add --unconfined to let it have your account's "
            "files, processes and network."
        )
    return mechanisms


def _is_seen(path: Path) -> bool:
    """True for an existing path; a path closed to this process is closed to its agents too."""
    try:
        return path.exists()
    except PermissionError:
        return False
