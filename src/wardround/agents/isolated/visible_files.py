"""The files that a confined agent sees: programs and libraries, its own code, nothing else."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path

import wardround

_SYSTEM = (
    *(f"/{folder}" for folder in ("bin", "sbin", "lib", "lib32", "lib64", "libx32")),
    *(f"/usr/{folder}" for folder in ("bin", "sbin", "lib", "lib32", "lib64", "libx32")),
    *("/usr/libexec", "/usr/share", "/usr/local/bin", "/usr/local/lib", "/usr/local/lib64"),
    *("/usr/local/share", "/nix/store", "/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives"),
    *("/etc/mime.types", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/pki/tls/certs"),
    *("/etc/pki/tls/openssl.cnf", "/etc/pki/ca-trust/extracted", "/etc/ca-certificates"),
)
_OF_NETWORK = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols"),
    *("/etc/gai.conf", "/etc/host.conf"),
)
# Of an interpreter's prefix; it may be a folder with much else, such as the user's `~/.local`.
_OF_PREFIX = ("bin", "sbin", "lib", "lib32", "lib64", "libexec", "ssl", "pyvenv.cfg")
_SYSTEM_PREFIXES = ("/", "/usr", "/usr/local")
_PROGRAM_FOLDERS = ("bin", "sbin")
_MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class Code:
    """The location of a package or module.

    Attributes:
        file: Its file, or that of the package's `__init__`; "" if it has none.
        folders: The package's folders; empty for a loose module.
    """

    file: str
    folders: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders to see."""
        return self.folders or ((self.file,) if self.file else ())


def system_paths(*, network: bool) -> Iterator[str]:
    """Programs and libraries of the system."""
    yield from _SYSTEM
    yield from _OF_NETWORK if network else ()


def python_paths() -> Iterator[str]:
    """This interpreter with the packages installed for it."""
    for prefix in {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}:
        yield from _of_prefix(Path(prefix))
    yield from package_folders()
    yield str(Path(wardround.__file__).parent)


def package_folders() -> list[str]:
    """The folders on the path in which packages are installed."""
    names = ("site-packages", "dist-packages")
    return [folder for folder in sys.path if Path(folder).name in names]


def program_paths(program: str) -> Iterator[str]:
    """A program by its absolute path, with the prefix of it and of the interpreter that it names.

    The prefix is the folder beside whose `bin` it, or a link on the way to it, stands.
    """
    yield program
    real, links = resolved(program)
    for path in (program, *(link for link, _ in links), real):
        if Path(path).parent.name in _PROGRAM_FOLDERS:
            yield from _of_prefix(Path(path).parents[1])
    if interpreter := _interpreter(real):
        yield from program_paths(interpreter)


def located(module: str) -> Code:
    """The package or loose module that holds a module; nothing is imported.

    The current folder comes first, as when a plug-in is named as `module:function`.
    """
    top = module.partition(".")[0]
    spec = PathFinder.find_spec(top, [str(Path.cwd()), *sys.path]) or _top_level_spec(top)
    if spec is None:
        return Code("", ())
    folders = tuple(map(str, spec.submodule_search_locations or ()))
    return Code(spec.origin if spec.has_location and spec.origin else "", folders)


def resolved(path: str) -> tuple[str, list[tuple[str, str]]]:
    """The real path, and the links on the way to it with their targets.

    >>> resolved("/")
    ('/', [])
    """
    links: list[tuple[str, str]] = []
    done, rest = "/", [part for part in path.split("/") if part not in ("", ".")]
    while rest and len(links) <= _MOST_LINKS:
        part = rest.pop(0)
        here = os.path.normpath(Path(done, part))
        if part == ".." or not Path(here).is_symlink():
            done = here
            continue
        target = str(Path(here).readlink())
        links.append((here, target))
        done = "/" if target.startswith("/") else done
        rest = [*(part for part in target.split("/") if part not in ("", ".")), *rest]
    return done, links


def placed(paths: Iterable[str]) -> tuple[list[str], dict[str, str]]:
    """The real paths that exist, and all links on the way to them."""
    real, links = dict[str, None](), dict[str, str]()
    for path in paths:
        end, on_the_way = resolved(path)
        if Path(end).exists():
            real[end] = None
            links.update(on_the_way)
    return list(real), links


def _of_prefix(prefix: Path) -> Iterator[str]:
    if str(prefix) not in _SYSTEM_PREFIXES:
        yield from (str(prefix / part) for part in _OF_PREFIX)


def _interpreter(script: str) -> str:
    """The program that a script names in its first line; "" if it is not a script."""
    try:
        with Path(script).open("rb") as file:
            first = file.readline(1000)
    except OSError:
        return ""
    if not first.startswith(b"#!"):
        return ""
    words = os.fsdecode(first[2:]).split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    executable = shutil.which(words[0]) if words else None
    return str(Path(executable).absolute()) if executable else ""


def _top_level_spec(top: str) -> ModuleSpec | None:
    """The specification of a top-level module, also from hooks of editable installations."""
    try:
        return find_spec(top)
    except (ImportError, ValueError):
        return None
