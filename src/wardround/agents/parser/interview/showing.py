"""What is to be shown: columns, numbers of things, averages, places."""

import re
from collections.abc import Iterator, Sequence

from wardround.agents.parser.interview.chart import Chart, Column
from wardround.agents.parser.interview.said import Said, listed, named, says, wording
from wardround.agents.parser.interview.wish import Show
from wardround.agents.parser.nouns import noun_of

_LEAD = re.compile(
    r"^(?:(?:I|we)(?:'d| would)? (?:want|like|need)(?: to see| there)?(?: is)?"
    r"|please(?: show| take)?|show(?: me)?|give(?: me)?|what I need there is|one line"
    r"|list(?: me)?)\b\s*(?:the )?",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\b(?:for|of|in) (?:each|every)|\b(?:by|per|each)\b(?! (?:name|mouth))", re.IGNORECASE
)
_ONE = re.compile(
    r"^(?:(?:the|our|their|each|of|an?|hospital|different) )+"
    r"|(?:'s?)? (?:number|identifier|id)s?$|'s$",
    re.IGNORECASE,
)
_ONE_FIGURE = re.compile(r"\b(?:how many|number of|count|how often)\b", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:how many|number of|count(?: of)?) (?!(?:were|was|are|is|had|has|did)\b)"
    r"((?:[\w-]+ ?){1,4})",
    re.IGNORECASE,
)


def shown(texts: Sequence[Said], chart: Chart) -> tuple[tuple[Show, ...], tuple[Column, ...]]:
    """The columns of the result, and within which of them places are given."""
    told = {topic: [one.text for one in texts if one.topic == topic] for topic in _TOPICS}
    request = told["request"][-1]
    listed_so = [show for text in told["show"] for show in _items(text, texts, chart)]
    measured = [show for show in listed_so if show.gathers]
    groups = [show for show in listed_so if not show.gathers and show.function != "PLACE"]
    places = [show for show in listed_so if show.function == "PLACE"]
    if not measured:
        first = [] if says("share", request) else told["count"]
        others = [] if groups else [*told["order"], *told["meaning"]]
        measured = _measure([*first, request, *told["count"], *others], chart)
    if not groups and not (_ONE_FIGURE.search(request) and not _BY.search(request)):
        groups = list(_groups(told["group"], chart)) or list(_asked_for(request, chart))
    for text in told["change"]:
        wanted = re.split(r"\b(?:instead of|rather than)\b", text)[0]
        keeps = wants_best(text) or re.search(r"\bonly\b", text, re.IGNORECASE)
        measured = (not keeps and _measure([wanted], chart)) or measured
    shows = [*groups, *measured] or _listed(request, chart)
    whole = " ".join(one.text for one in texts)
    if measured and (places or _PLACED.search(whole)):
        shows.append(Show("PLACE"))
    shows = _gathered(list(dict.fromkeys(shows)), whole, chart)
    return tuple(shows), _within(request, shows, chart)


_TOPICS = ("request", "show", "count", "group", "order", "meaning", "change")
_PLACED = re.compile(
    r"\b(?:show|give|with|and) (?:the|its|their) (?:place|rank)\b(?! (?:they|where|people))"
    r"|\b(?:place|rank) is shown",
    re.IGNORECASE,
)


def main_table(shows: Sequence[Show], texts: Sequence[Said], chart: Chart) -> str:
    """The table whose rows are shown or counted; "" where only conditions can tell."""
    measured = [show.column for show in shows if show.gathers and show.column and show.column.name]
    share = any(show.function == "SHARE" for show in shows)
    numbers = [column.table for column in measured if not column.is_key]
    told = [show.column for show in shows if show.column and show.column.name]
    groups = [column.table for column in told if not column.is_key]
    keys = [column.name for column in told if column.is_key]
    timed = any(show.column and not show.column.name for show in shows)
    for table in (*numbers, *groups):
        if (numbers or not share) and all(chart.column(table, key) for key in keys):
            return table
    if groups and not keys and not share:
        return groups[0]
    things = [key for one in texts for key in thing_keys(one.text, chart)]
    key = (keys or things or [""])[0]
    if share and groups and chart.column(groups[0], key):
        return groups[0]
    return chart.home(key) if share or timed or (groups and keys) else ""


_WHICH = re.compile(
    r"\bwhich (?:\w+ )*?\w*[^s\W] (?:is|was|has|had|does|did|took|cost)\b", re.IGNORECASE
)


def wants_best(text: str) -> bool:
    """Whether a text asks which one has the most of something.

    >>> wants_best("Which month was the dearest?"), wants_best("Which months were dear?")
    (True, False)
    """
    return bool(_WHICH.search(text)) and (says("descending", text) or says("ascending", text))


def thing_keys(text: str, chart: Chart, *, alone: bool = False) -> Iterator[str]:
    """The keys of the things that a text speaks of, the most special first.

    Args:
        text: The words.
        chart: The database.
        alone: Whether it has to be a thing's noun, or its number, and no more.
    """
    text = _ONE.sub("", text).strip() if alone else text
    for noun in listed("things", "noun", text, whole=alone):
        for key in dict.fromkeys(column.name for column in chart.columns if column.is_key):
            if chart.home(key) and noun_of(f"t.{key}") == noun:
                yield key


def _items(text: str, texts: Sequence[Said], chart: Chart) -> Iterator[Show]:
    """What an answer lists; of words that were asked about, what they were said to mean."""
    pieces = list(pieces_of(text))
    for piece in pieces:
        meant = _meant(piece, texts)
        if meant:
            placed = [Show("PLACE")] if says("place", meant) else []
            yield from _measure([meant], chart) or placed or _items(meant, [], chart)
        elif (show := show_of(piece, chart)) is not None:
            yield _counted_thing(show, piece) if len(pieces) > 1 else show


def _meant(piece: str, texts: Sequence[Said]) -> str:
    """What was answered when these words were asked about, or words with these in them."""
    words = re.escape(piece.split(",")[0])
    asked = [one for one in texts if re.search(rf"\b{words}\b", one.about, re.IGNORECASE)]
    return min(asked, key=lambda one: len(one.about)).text if asked else ""


def pieces_of(text: str) -> Iterator[str]:
    """What an answer lists, piece by piece, as words.

    >>> list(pieces_of("I want to see the drug and the number of patients, each counted once."))
    ['drug', 'number of patients, each counted once']
    """
    plain = re.sub(r", or \"?[\w ]+?\"? where (?:that|it) is missing", "", text)
    plain = _LEAD.sub("", plain.strip(" .")).strip()
    for piece in re.split(
        r",(?! each counted| rounded)| and (?!in\b)| with (?=the |its |their )|;", plain
    ):
        if words := re.sub(r"^(?:the|their|its) ", "", piece.strip()):
            yield words


def _counted_thing(show: Show, piece: str) -> Show:
    """Beside other columns, several of a thing are how many they are."""
    plural = bool(re.search(r"^(?:the )?(?:\w+ )?[a-z]{4,}s$", piece))
    bare = show.function == "" and show.column is not None and show.column.is_key
    return Show("COUNT", show.column, distinct=True) if plural and bare else show


def show_of(piece: str, chart: Chart) -> Show | None:
    """The column that a few words ask for; None where they ask for none."""
    if says("place", piece):
        return Show("PLACE")
    if unit := named("units", piece):
        return Show(wording()["periods"][unit])
    if says("share", piece):
        return _share(piece, chart)
    if says("counted", piece):
        return _count(
            re.split(r"\b(?:number of|how many|count(?: of)?)\b", piece)[-1], piece, chart
        )
    function = named("aggregates", piece)
    if says("duration", piece):
        return Show(function or "AVG", Column("", "", _unit(piece)))
    if function:
        phrase = f"{named('qualities', piece)} {_bare(piece, function)}".strip()
        column = chart.linked(phrase, ("number", "whole"))
        return Show(function, column) if column and not column.is_key else None
    key = next(thing_keys(piece, chart, alone=True), "")
    if key:
        return Show("", Column(chart.home(key), key, "whole"))
    phrase = re.sub(r",? \b(?:rounded|once)\b.*|^each ", "", piece, flags=re.IGNORECASE)
    column = chart.linked(phrase) or _of_event(phrase, chart)
    return Show("", column) if column else None


def _unit(text: str) -> str:
    """The unit of time that a text names; days where it names none."""
    found = re.search(r"\b(hour|minute|week|day)s?\b", text, re.IGNORECASE)
    return found[1].lower() if found else "day"


def _bare(piece: str, function: str) -> str:
    aggregates = wording()["aggregates"][function]
    return re.sub(aggregates, " ", piece, flags=re.IGNORECASE).strip(" .") or piece


def _share(text: str, chart: Chart) -> Show:
    """A share of rows, or of an amount where one is named."""
    amount = chart.linked(quality, ("number",)) if (quality := named("qualities", text)) else None
    return Show("SHARE", amount)


def _count(what: str, piece: str, chart: Chart) -> Show:
    different = says("different", piece)
    if says("entries", what.strip()):
        return Show("COUNT")
    key = next(thing_keys(what, chart), "")
    if key:
        return Show("COUNT", Column(chart.home(key), key, "whole"), distinct=True)
    column = chart.linked(what, ("text",)) if different else None
    return Show("COUNT", column, distinct=True) if column else Show("COUNT")


def _measure(texts: Sequence[str], chart: Chart) -> list[Show]:
    """What is worked out, by the first text that tells."""
    for text in texts:
        found = _COUNTED.search(text)
        if says("share", text):
            return [_share(text, chart)]
        if says("duration", text):
            return [Show(named("aggregates", text) or "AVG", Column("", "", _unit(text)))]
        if found:
            return [_count(found[1], text, chart)]
        if re.search(r"\bthe number is shown\b|\bhow many they are\b", text, re.IGNORECASE):
            return [Show("COUNT")]
        if function := named("aggregates", text):
            said = re.search(wording()["aggregates"][function] + ".*", text, re.IGNORECASE)
            show = show_of(re.split(_BY, said[0] if said else text)[0], chart)
            if show is not None and show.gathers:
                return [show]
    return []


_NOUN = re.compile(
    r"^(?:.*[.!;] )?(?:please )?(?:show me|give me|list|tell me|which|what (?:are|were|is|was))"
    r" (?:the |our |all )?(.+?)(?: (?:for|by|per|do|does|did|is|are|were|was|have|has)\b|[,.?]|$)",
    re.IGNORECASE,
)


def _asked_for(request: str, chart: Chart) -> Iterator[Show]:
    """What a request wants its lines for, and then what it asks to be shown."""
    after = [re.split(r"[.,?;]", part)[0] for part in re.split(_BY, request)[1:]]
    yield from _pieces_shown(after, chart)
    noun = _NOUN.search(request)
    if noun and not says("counted", noun[1]) and not named("aggregates", noun[1]):
        column = chart.linked(noun[1], ("text",)) or _of_event(noun[1], chart)
        if column:
            yield Show("", column)


def _of_event(phrase: str, chart: Chart) -> Column | None:
    """The text that an event's noun may stand for, of the columns of its table."""
    hinted = list(listed("events", "table", phrase))
    tables = {one.table for one in chart.columns if any(re.search(h, one.table) for h in hinted)}
    return chart.linked(phrase, ("text",), tables) if tables else None


def _groups(texts: Sequence[str], chart: Chart) -> Iterator[Show]:
    """What answers say that there is a line for."""
    plain = [re.sub(r"^.*?\b(?:for|of|by|per)\b(?: (?:each|every))?", "", one) for one in texts]
    told = [text for text, one in zip(plain, texts, strict=True) if text != one]
    yield from _pieces_shown(told, chart)


def _pieces_shown(texts: Sequence[str], chart: Chart) -> Iterator[Show]:
    for text in texts:
        for piece in re.split(r",| and ", text):
            show = show_of(piece.strip(" ."), chart) if piece.strip(" .") else None
            if show is not None and not show.gathers:
                yield show


def _listed(request: str, chart: Chart) -> list[Show]:
    """What a request lists: things, or what a column holds."""
    key = next(thing_keys(request, chart), "")
    return [Show("", Column(chart.home(key), key, "whole"))] if key else []


def _gathered(shows: list[Show], text: str, chart: Chart) -> list[Show]:
    """A time beside what is gathered is a period of time, where one is named."""
    if not any(show.gathers for show in shows):
        return shows
    formats: dict[str, str] = wording()["periods"]
    said = re.search(r"\b(?:each|every|by|per|one line for each) (month|year|day)\b", text, re.I)
    format = formats[said[1].lower()] if said else formats["month"]
    return [
        show._replace(function=format)
        if show.column and show.column.kind == "time" and not show.gathers
        else show
        for show in shows
    ]


def _within(request: str, shows: Sequence[Show], chart: Chart) -> tuple[Column, ...]:
    """The groups each of which has places of its own."""
    if not any(show.function == "PLACE" for show in shows):
        return ()
    found = re.search(r"\b(?:for|of|in|within) (?:each|every) ([\w ]+)", request, re.IGNORECASE)
    column = chart.linked(found[1]) if found else None
    return (column,) if column in [show.column for show in shows] and column else ()
