"""Writes a proposed map as TOML, with what speaks for each entry beside it."""

import json
from collections.abc import Iterator, Mapping

from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.evidence import Evidence, certainty
from wardround.ehr.records.proposal.model import Entry, Proposal, ProposedSource, certainty_of

_HEAD = """\
# A record map that was proposed from keys, names and sampled values. Read it before you use it.
#
# certain: two independent pieces of evidence; likely: one; open: none, so the line is a comment.
# Remove the `#` before a line to use it, and correct what is wrong.
"""


def map_text(proposal: Proposal, layout: str) -> str:
    """The map as a file that `read_map` reads.

    Args:
        proposal: The map.
        layout: The name that the layout gets.
    """
    parts = [
        [*_HEAD.splitlines(), "", f"layout = {_quoted(layout)}"],
        *_starts(proposal.starts),
        *_written(proposal.written),
        *(_source(each, _is_array(proposal, each)) for each in proposal.sources),
        *_absent(proposal),
        *_unknown(proposal),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _starts(starts: Mapping[str, str]) -> Iterator[list[str]]:
    if starts:
        about = "# Offsets count from here. No day is known: compare no times of two admissions."
        lines = [f"{name} = {_quoted(sql)}" for name, sql in starts.items()]
        yield ["[starts]", about, *lines]


def _written(written: Mapping[str, Mapping[str, tuple[str, ...]]]) -> Iterator[list[str]]:
    for role, meanings in written.items():
        lines = [
            f"{meaning} = {json.dumps(texts, ensure_ascii=False)}"
            for meaning, texts in meanings.items()
        ]
        yield [f"[written.{_quoted(role)}]", *lines]


def _is_array(proposal: Proposal, source: ProposedSource) -> bool:
    return sum(each.kind == source.kind for each in proposal.sources) > 1


def _source(source: ProposedSource, is_array: bool) -> list[str]:
    heading = f"[[{source.kind}]]" if is_array else f"[{source.kind}]"
    lines = [
        heading,
        f"from = {_quoted(source.tables)}",
        *([f"where = {_quoted(source.where)}"] if source.where else []),
        *([f"one_per = {_quoted(source.one_per)}"] if source.one_per else []),
        f"[{source.kind}.columns]",
        *_columns(source),
        *_wide(source),
    ]
    state = "open, another table fits better" if source.is_open else certainty(source.evidence)
    about = f"# {source.kind}: {state}{_reasons(source.evidence)}"
    return [about, *(f"# {line}" if source.is_open else line for line in lines)]


def _columns(source: ProposedSource) -> Iterator[str]:
    column_types = record_kinds()[source.kind].columns
    for name in column_types:
        if entry := source.columns.get(name):
            about = f"{certainty_of(source, name, entry)}{_reasons(entry.evidence)}"
            yield f"{name} = {_entry(entry)}  # {about}"
    given = {"name", "value", "unit"} if source.wide else set()
    if missing := [name for name in column_types if name not in {*source.columns, *given}]:
        yield f"# open: {', '.join(missing)}"


def _wide(source: ProposedSource) -> Iterator[str]:
    if not source.wide:
        return
    yield f"[{source.kind}.wide]"
    for name, entry in source.wide.items():
        about = f"{certainty_of(source, name, entry)}{_reasons(entry.evidence)}"
        yield f"{_quoted(name)} = {_quoted(entry.settings['sql'])}  # {about}"
    yield f"[{source.kind}.units]"
    for name, entry in source.wide.items():
        yield f"{_quoted(name)} = {_quoted(entry.settings['unit'])}"


def _entry(entry: Entry) -> str:
    if set(entry.settings) == {"sql"}:
        return _quoted(entry.settings["sql"])
    inner = ", ".join(f"{name} = {_quoted(text)}" for name, text in entry.settings.items())
    return f"{{ {inner} }}"


def _reasons(evidence: Evidence) -> str:
    texts = "; ".join(dict.fromkeys(text for _, text in evidence))
    return f": {texts}" if texts else ""


def _absent(proposal: Proposal) -> Iterator[list[str]]:
    present = {source.kind for source in proposal.sources if not source.is_open}
    for kind, entry in record_kinds().items():
        if kind not in present:
            columns = ", ".join(entry.columns)
            yield [
                f"# {kind}, {entry.meaning}: open. To add it:",
                f"# [{kind}]",
                '# from = "TABLE"',
                f"# [{kind}.columns]",
                f"# # of {columns}",
            ]


def _unknown(proposal: Proposal) -> Iterator[list[str]]:
    if proposal.unknown:
        lines = [
            f"# {table} (about {rows:,} rows): {', '.join(columns)}"
            for table, rows, columns in proposal.unknown
        ]
        yield ["# Tables that no kind was found for:", *lines]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
