"""Other readings of what was understood, for when the first was wrong."""

from collections.abc import Iterator
from dataclasses import replace

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.wish import Show, Where, Wish


def readings(wish: Wish, chart: Chart) -> Iterator[Wish]:
    """The wish, and then counted otherwise, and without what is not recorded.

    Args:
        wish: What was understood.
        chart: The database.
    """
    yield wish
    yield from _counted_otherwise(wish, chart)
    said = [where.sql.split(" ")[0] for where in wish.wheres]
    recorded = tuple(
        Where(show.column.table, f"{show.column.sql} IS NOT NULL")
        for show in wish.shows
        if show.function == "" and show.column and not show.column.is_key
        if show.column.sql not in said
    )
    if recorded and not wish.fill:
        yield replace(wish, wheres=(*wish.wheres, *recorded))


def _counted_otherwise(wish: Wish, chart: Chart) -> Iterator[Wish]:
    """Things are counted where rows were, and rows where things were."""
    keys = [column for column in chart.of(wish.main) if column.is_key and chart.home(column.name)]
    for at, show in enumerate(wish.shows):
        if show.function == "COUNT" and keys:
            other = Show("COUNT") if show.column else Show("COUNT", keys[0], distinct=True)
            yield replace(wish, shows=(*wish.shows[:at], other, *wish.shows[at + 1 :]))
