"""Understands an interview: a request and the answers become what is wished for."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from wardround.agents.parser.interview.chart import Chart
from wardround.agents.parser.interview.comparing import number_in
from wardround.agents.parser.interview.conditions import conditions_of
from wardround.agents.parser.interview.said import Said, says
from wardround.agents.parser.interview.showing import (
    main_table,
    show_of,
    shown,
    thing_keys,
    wants_best,
)
from wardround.agents.parser.interview.terms import definitions
from wardround.agents.parser.interview.wish import Having, Order, Show, Where, Wish

_ASKING = {"request", "change"}

# What an answer is about that tells nothing of which rows are meant.
_NO_CONDITION = {"show", "count", "group", "order", "ties", "decimals"}


def understood(said: Sequence[Said], chart: Chart, now: str) -> Wish | None:
    """What is wished for; None where not even what is shown was understood.

    Args:
        said: The request, and the answers to questions.
        chart: The database.
        now: The present time.
    """
    heard = [one for one in said if not says("refused", one.text)]
    texts = [*heard, *definitions(heard, chart.knowledge)]
    shows, within = shown(texts, chart)
    if not shows:
        return None
    telling = [one for one in texts if one.topic not in _NO_CONDITION]
    main = main_table(shows, texts, chart)
    wheres, havings = conditions_of(telling, main, shows, chart, now)
    main = main or _main(shows, wheres, havings, chart)
    if not main:
        return None
    wish = Wish(main, _dated(shows, main, chart), tuple(wheres), tuple(havings), within=within)
    return _finished(wish, texts, chart)


def _main(
    shows: Sequence[Show], wheres: Sequence[Where], havings: Sequence[Having], chart: Chart
) -> str:
    """The table of the first condition that has all keys that are needed; "" for none."""
    keys = {show.column.name for show in shows if show.column and show.column.is_key}
    keys |= {having.key for having in havings}
    homes = [*(having.table for having in havings), *(chart.home(key) for key in sorted(keys))]
    tables = [where.table for where in wheres if not where.negated] + homes
    return next((one for one in tables if one and all(chart.column(one, key) for key in keys)), "")


def _dated(shows: tuple[Show, ...], main: str, chart: Chart) -> tuple[Show, ...]:
    """What is shown, periods as those of the main table's time."""
    time = next((column for column in chart.of(main) if column.kind == "time"), None)
    dated = (
        one._replace(column=time) if "YYYY" in one.function and not one.column else one
        for one in shows
    )
    return tuple(one for one in dated if one.column or one.gathers or one.function == "PLACE")


def _finished(wish: Wish, texts: Sequence[Said], chart: Chart) -> Wish:
    """The wish with order, places, decimals and what is missing."""
    whole = " ".join(one.text for one in texts)
    by = {one.topic: one.text for one in texts}
    share = any(show.function == "SHARE" for show in wish.shows)
    ranked = any(show.function == "PLACE" for show in wish.shows)
    limit = 0 if ranked else _limit(whole)
    orders = tuple(_orders(texts, wish.shows, chart))
    if wants_best(wanted := [one.text for one in texts if one.topic in _ASKING][-1]):
        wish = _best(wish, wanted)
    return replace(
        wish,
        wheres=tuple(one for one in wish.wheres if one.is_period or not share),
        part=tuple(one for one in wish.wheres if share and not one.is_period),
        percent=says("percent", whole),
        orders=orders or tuple(_most(wish.shows) if limit else ()),
        limit=limit,
        places=_places(whole) if ranked else 0,
        ranking=_ranking(by.get("ties", whole)),
        decimals=_decimals(whole),
        fill=_fill(by.get("missing", "")) or _instead(whole),
        outer=says("outer", by.get("without", "")),
        picked=tuple(_picked(whole, wish.main, chart)),
    )


_ONCE = re.compile(
    r"\b(?:each|every) ([\w ]+?) (?:counts? |is counted |appears? )?(?:only )?once\b[^.]*"
    r"\b(latest|last|newest|most recent|first|earliest)\b",
    re.IGNORECASE,
)


_FIRST = re.compile(
    r"\bgo by ([\w ]+?),.*? by [\w ]+, (latest|earliest|highest|lowest) first,? and take the first",
    re.IGNORECASE,
)


def _best(wish: Wish, text: str) -> Wish:
    """The wish for the one line with the most or least of what is worked out."""
    measure = next((show for show in wish.shows if show.gathers), Show("COUNT"))
    groups = tuple(show for show in wish.shows if not show.gathers and show.function != "PLACE")
    return (
        replace(wish, shows=groups, best=(measure, not says("ascending", text))) if groups else wish
    )


def _picked(text: str, main: str, chart: Chart) -> Iterator[tuple[str, str, bool]]:
    """Which row of each thing counts, where only one does."""
    found = _ONCE.search(text) or _FIRST.search(text)
    key = next(thing_keys(found[1], chart), "") if found else ""
    times = [column.name for column in chart.of(main) if column.kind == "time"]
    if found and times and chart.column(main, key):
        yield key, times[0], found[2].lower() not in ("first", "earliest")


def _limit(text: str) -> int:
    found = re.search(r"\b(?:only|just) the first (one\b|\w+)|\btop (\w+)", text, re.IGNORECASE)
    return int(number_in(found[1] or found[2]) or 0) if found else 0


def _places(text: str) -> int:
    found = re.search(r"\bfirst (\w+) (?:places?|ranks?)", text, re.IGNORECASE)
    return int(number_in(found[1]) or 0) if found else 0


def _ranking(text: str) -> str:
    if re.search(r"without (?:a )?gaps?|no place is left out", text, re.IGNORECASE):
        return "DENSE_RANK"
    own = re.search(r"place of (?:its|their) own", text, re.IGNORECASE)
    return "ROW_NUMBER" if own else "RANK"


def _decimals(text: str) -> int | None:
    if re.search(r"\bwhole (?:numbers?|dollars?|days?|percents?)", text, re.IGNORECASE):
        return 0
    found = re.search(r"(\w+) (?:decimals?\b|digits? after|places? after)", text, re.IGNORECASE)
    return int(number_in(found[1]) or 0) or None if found else None


def _fill(text: str) -> str:
    """What an answer about what is missing wants to see there."""
    found = re.search(r"\b(?:call (?:it|them|that)|as|take|write|show) [\"']?(\w+)[\"']?\W*$", text)
    return found[1] if found else ""


def _orders(texts: Sequence[Said], shows: tuple[Show, ...], chart: Chart) -> Iterator[Order]:
    """The order, the most important first."""
    texts = [one for one in texts if not _FIRST.search(one.text)]
    told = [one.text for one in texts if one.topic == "order"]
    told = told or [one.text for one in texts if says("sorted", one.text)]
    seen: set[int] = set()
    for clause in _CLAUSES.split(" ".join(dict.fromkeys(told))):
        at = _sorted_by(clause, shows, chart)
        if at is not None and at not in seen:
            seen.add(at)
            # The first place is the best one.
            rising = says("ascending", clause) or shows[at].function == "PLACE"
            yield Order(at, says("descending", clause) and not rising)


def _most(shows: tuple[Show, ...]) -> Iterator[Order]:
    """The first of some lines are those with the most, if nothing else is said."""
    yield from (Order(at, descending=True) for at, show in enumerate(shows) if show.gathers)


_CLAUSES = re.compile(r"[;.]|\bthen\b|, (?=by |where|those|and |ties|if |equal)", re.IGNORECASE)


def _sorted_by(clause: str, shows: tuple[Show, ...], chart: Chart) -> int | None:
    """Which column a part of a sentence sorts by; None for none."""
    at = {_sort(show): number for number, show in reversed(list(enumerate(shows)))}
    if says("by_name", clause):
        return at.get("text")
    if says("in_time", clause) and "period" in at:
        return at["period"]
    if says("place", clause) and "place" in at:
        return at["place"]
    by = re.search(r"\bby (?:the |their |its )?([\w ]+)", clause)
    column = show_of(by[1].strip(), chart) if by else None
    for number, show in enumerate(shows):
        if column and show.column and column.column and show.column.name == column.column.name:
            return number
    if says("descending", clause) or says("ascending", clause):
        return at.get("measure", at.get("text"))
    return None


def _instead(text: str) -> str:
    found = re.search(r"\bor \"?([a-z][\w ]*?)\"? where (?:that|it) is missing", text)
    return found[1] if found else ""


def _sort(show: Show) -> str:
    if show.gathers:
        return "measure"
    if show.function == "PLACE":
        return "place"
    return "period" if "YYYY" in show.function else "text"
