"""The file that says what an assessment's folder is about, so that another is not mixed into it."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, write_whole

_FILE = "assessment.json"


def forget_request(folder: Path) -> None:
    """Removes the request of an assessment that has nothing else, so that another may begin."""
    (folder / _FILE).unlink(missing_ok=True)
    for each in (folder / "suites", folder):
        with suppress(OSError):
            each.rmdir()


def check_request(folder: Path, request: Mapping[str, Any]) -> None:
    """Notes the request in a new folder; checks it in one that is gone on with.

    Raises:
        UserError: the folder holds an assessment with other settings, or other files.
    """
    asked = orjson.loads(orjson.dumps(request, default=str, option=orjson.OPT_SORT_KEYS))
    path = folder / _FILE
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
