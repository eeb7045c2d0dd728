"""Checks that a folder holds the assessment that is asked for, and its runs.

A folder may be edited: runs of other agents or suites may be put into it.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_settings
from wardround.core.run_repair import DAMAGED
from wardround.core.task import digest
from wardround.runs.components import open_without_models
from wardround.runs.open_run import settings_of
from wardround.runs.settings import RunSettings

_REQUEST = "assessment.json"
# Settings that concern the agent's trials. Paths of suites and databases are left out, since a
# folder may be moved: the content of both is compared.
_AGENT = ("agent", "agent_model", "agent_settings", "agent_allow", "agent_process", "unconfined")
_TRIALS = (
    *("benchmark", "grading", "trials", "seed", "injected", "attempts"),
    *("actions", "seconds", "statement_seconds", "models", "replay"),
)


def check_request(folder: Path, request: Mapping[str, Any]) -> None:
    """Notes the request in a new folder; checks it in one that is gone on with.

    Raises:
        UserError: the folder holds an assessment with other settings, or other files.
    """
    asked = orjson.loads(orjson.dumps(request, default=str, option=orjson.OPT_SORT_KEYS))
    path = folder / _REQUEST
    if not path.exists():
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError(f"{folder} holds no assessment; name a new folder with --out.")
        make_folder(folder)
        write_whole(path, orjson.dumps(asked, option=orjson.OPT_INDENT_2) + b"\n")
        return
    before = orjson.loads(path.read_bytes())
    changed = [
        f"{name.replace('_', ' ')} {before.get(name)}, now {asked.get(name)}"
        for name in sorted({*before, *asked})
        if before.get(name) != asked.get(name)
    ]
    if changed:
        raise UserError(
            f"{folder} holds another assessment ({'; '.join(changed)}); name a new folder with "
            "--out."
        )


def forget_request(folder: Path) -> None:
    """Removes the request of an assessment that has nothing else, so that another may begin."""
    (folder / _REQUEST).unlink(missing_ok=True)
    for each in (folder / "suites", folder):
        with suppress(OSError):
            each.rmdir()


def check_same_run(folder: Path, settings: RunSettings) -> None:
    """Checks that a run was made with settings.

    Raises:
        UserError: it was not, or its settings were changed or written with another key.
    """
    if not check_run(folder).verified:
        raise UserError(
            f"{folder} was written with another key, so it cannot be told who played its trials; "
            "name a new folder with --out."
        )
    before, now = settings_of(folder), settings
    changed = [
        f"{name.replace('_', ' ')} {getattr(before, name)}, now {getattr(now, name)}"
        for name in (*_AGENT, *_TRIALS)
        if getattr(before, name) != getattr(now, name)
    ]
    if changed:
        raise UserError(
            f"{folder} has trials of another run ({'; '.join(changed)}); restore it, or name a new "
            "folder with --out."
        )


def check_same_data(folder: Path, settings: RunSettings) -> None:
    """Checks that the tasks and databases of settings are those of a run.

    Raises:
        UserError: they are not.
    """
    before = read_settings(folder)
    benchmark = open_without_models(settings)
    try:
        tasks = benchmark.load(settings.tasks, settings.tasks_chosen).tasks
        databases = set(benchmark.fingerprints().values())
    finally:
        benchmark.close()
    is_same = {
        "tasks": before["tasks"]["digest"] == digest([digest(task) for task in tasks]),
        "database": set(before["databases"].values()) == databases,
    }
    if changed := [name for name, same in is_same.items() if not same]:
        raise UserError(
            f"The trials in {folder} are of another {' and '.join(changed)} than this assessment "
            "is of; name a new folder with --out."
        )


def check_same_tasks(folder: Path, other: Path) -> None:
    """Checks that two runs are at the same tasks.

    Raises:
        UserError: they are not.
    """
    if read_settings(folder)["tasks"]["digest"] != read_settings(other)["tasks"]["digest"]:
        raise UserError(
            f"{other} has trials at other tasks than {folder}, so the agents cannot be compared; "
            "give --beside an assessment with the same database, --tasks and --seed."
        )


def repair_notices(folder: Path) -> Iterator[str]:
    """A sentence on lines that were moved aside since they were not as they were written."""
    if any(folder.glob(f"*{DAMAGED}")):
        yield (
            f"Changed: lines of {folder} were not as wardround wrote them, and their trials were "
            "played or judged again."
        )
