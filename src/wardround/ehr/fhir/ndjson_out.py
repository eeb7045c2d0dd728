"""Writes resources as bulk NDJSON: a private file for each type, one resource on a line."""

from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private, put_in_place
from wardround.ehr.fhir.interaction import Resource


def write_ndjson(resources: Iterable[Resource], folder: Path) -> dict[str, int]:
    """Writes the resources to `Patient.ndjson` and so on; returns their number by type.

    The files appear once all are complete; an interruption leaves only `.partial` files.

    Args:
        resources: the resources, in any order; a file keeps the order.
        folder: a folder without NDJSON files; created if missing.

    Raises:
        UserError: The folder has NDJSON files already, or it cannot be written.
    """
    _prepare(folder)
    counts = Counter[str]()
    with ExitStack() as files:
        opened: dict[str, IO[bytes]] = {}
        for resource in resources:
            kind = resource["resourceType"]
            if kind not in opened:
                path = _partial(folder, kind)
                opened[kind] = files.enter_context(open_private(path, "wb"))
            opened[kind].write(orjson.dumps(resource, option=orjson.OPT_APPEND_NEWLINE))
            counts[kind] += 1
    for kind in counts:
        put_in_place(_partial(folder, kind), folder / f"{kind}.ndjson")
    return dict(counts)


def _prepare(folder: Path) -> None:
    try:
        make_folder(folder)
    except OSError as error:
        raise UserError(f"{folder} cannot be written ({error.strerror}).") from error
    if present := [*sorted(folder.glob("*.ndjson")), *sorted(folder.glob("*.ndjson.gz"))]:
        raise UserError(f"{folder} already has {present[0].name}; name another folder.")


def _partial(folder: Path, kind: str) -> Path:
    return folder / f"{kind}.ndjson.partial"
