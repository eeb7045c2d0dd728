"""What `wardround doctor --map` prints: the records that a map finds, and what does not fit."""

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from wardround.ehr.records import MapFacts


def show_map(database: str, record_map: str, as_json: bool) -> None:
    """Print what a map finds in a database.

    Args:
        database: The database.
        record_map: A file, or the name of a packaged map.
        as_json: True to print JSON.

    Raises:
        Exit: With 1, the map and the database do not fit.
    """
    from wardround.ehr.database import open_database
    from wardround.ehr.records import examine_records, named_map

    records, text = named_map(record_map)
    with closing(open_database(database)) as opened:
        facts = examine_records(records, opened, text, record_map)
    if as_json:
        import orjson

        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode())
    else:
        for line in _lines(facts, database):
            typer.echo(line)
    if facts.faults:
        raise typer.Exit(1)


def _lines(facts: "MapFacts", database: str) -> Iterator[str]:
    yield f"{database}, read as {facts.layout}"
    yield f"{'kind':16}{'records':>12}{'patients':>10}{'outside stay':>14}  columns"
    for each in facts.kinds:
        patients = "" if each.patients is None else f"{each.patients:,}"
        outside = "" if each.outside is None else f"{each.outside:,}"
        columns = ", ".join(each.columns)
        yield f"{each.kind:16}{each.records:>12,}{patients:>10}{outside:>14}  {columns}"
    if facts.absent:
        yield f"Not in this layout: {', '.join(facts.absent)}."
    yield from facts.faults
