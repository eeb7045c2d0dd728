"""Runs the steps of the Containerfile in a root folder, where no container program is at hand.

    debootstrap --variant=minbase --include=ca-certificates,python3-venv trixie root
    chroot root python3 -m venv /usr/local
    python tools/container_steps.py root built

`root` takes the place of every image from elsewhere. Each stage is a copy of its base; RUN steps
run in it by `unshare` and `chroot`, with the network of this machine. At the end the demo runs as
the user of the last stage, and the sizes of the stages are printed. It needs root.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MIB = 2**20


def steps(text: str) -> Iterator[tuple[str, str]]:
    r"""The instructions of a Containerfile with their arguments.

    >>> list(steps("# a\nFROM x AS base\nRUN one \\\n && two\n"))
    [('FROM', 'x AS base'), ('RUN', 'one  && two')]
    """
    for line in text.replace("\\\n", "").splitlines():
        if line and not line.startswith("#"):
            instruction, _, arguments = line.partition(" ")
            yield instruction, arguments


def main(image: Path, target: Path) -> None:
    """Builds all stages below `target`, and runs the demo in the last one."""
    stage, folder, user, command = target, "/", "0", dict[str, list[str]]()
    for instruction, arguments in steps((ROOT / "Containerfile").read_text("utf-8")):
        match instruction:
            case "FROM":
                base, _, name = arguments.split()
                known = (target / base).is_dir() and "/" not in base
                stage, user = target / name, user if known else "0"
                folder = folder if known else "/"
                _run("cp", "--archive", "--", str(target / base if known else image), str(stage))
            case "WORKDIR":
                folder = arguments
                (stage / folder.lstrip("/")).mkdir(parents=True, exist_ok=True)
            case "USER":
                user = arguments
            case "COPY":
                _copy(arguments.split(), target, stage, folder)
            case "RUN":
                _inside(stage, folder, user, "sh", "-c", arguments)
            case "ENTRYPOINT" | "CMD":
                command[instruction] = json.loads(arguments)
    _inside(stage, folder, user, *command["ENTRYPOINT"], *command["CMD"])
    empty = _size(image)
    for built in sorted(path for path in target.iterdir() if path.is_dir()):
        print(f"{built.name}: {_size(built) - empty} MiB above the {empty} MiB of {image}")


def _copy(words: list[str], target: Path, stage: Path, folder: str) -> None:
    """Copies files of this repository, or of an earlier stage."""
    source = ROOT
    if words[0].startswith("--from="):
        source = target / words.pop(0).removeprefix("--from=")
    *names, place = words
    to = stage / str(Path(folder) / place).lstrip("/")
    for name in names:
        original = source / name.lstrip("/")
        if original.is_dir():
            shutil.copytree(original, to, dirs_exist_ok=True)
        else:
            to.mkdir(parents=True, exist_ok=True)
            shutil.copy(original, to)


def _inside(stage: Path, folder: str, user: str, *command: str) -> None:
    """Runs a command in a stage, with processes and mounts of its own."""
    print(f"{stage.name}: {' '.join(command)}", flush=True)
    ids = (f"--setuid={user}", f"--setgid={user}")
    environment = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    environment |= {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
    environment |= {"HOME": "/tmp"}  # noqa: S108
    place = (f"--root={stage}", f"--wd={folder}", "--mount-proc", *ids)
    _run("unshare", "--mount", "--pid", "--fork", *place, *command, environment=environment)


def _size(folder: Path) -> int:
    """The size of a folder on disk, in MiB."""
    counted = ("du", "--summarize", "--one-file-system", "--block-size=1", str(folder))
    done = subprocess.run(counted, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[0]) // MIB


def _run(*command: str, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}.")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
