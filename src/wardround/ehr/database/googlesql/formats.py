"""FORMAT: BigQuery's format strings, piece by piece."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, text
from wardround.ehr.database.googlesql.texts import AS_TEXT, as_text
from wardround.ehr.database.interface import QueryError

_PIECE = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d*)(?P<precision>(?:\.\d+)?)(?P<kind>[diouxXeEfFgGstTpP%])"
    r"|(?P<plain>[^%]+|%)"
)


def formatted(node: exp.Format) -> exp.Expr:
    """FORMAT with a literal format string; NULL if an argument of another kind than %t is.

    Raises:
        QueryError: The format string is no literal, or needs another number of arguments.
    """
    if not node.this.is_string:
        raise QueryError("FORMAT runs here with a literal format string only.", "syntax")
    whole: exp.Expr = text("")
    for piece in _pieces(node.this.name, node.expressions):
        whole = fill("__a || __b", a=whole, b=piece)
    return whole


def _pieces(template: str, values: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    rest = iter(values)
    for piece in _PIECE.finditer(template):
        if piece["plain"]:
            yield text(piece["plain"])
        elif piece["kind"] == "%":
            yield text("%")
        else:
            value = next(rest, None)
            if value is None:
                raise QueryError("FORMAT has too few arguments for its format string.", "syntax")
            yield _piece(piece, value)
    if next(rest, None) is not None:
        raise QueryError("FORMAT has more arguments than its format string takes.", "syntax")


def _piece(piece: re.Match[str], value: exp.Expr) -> exp.Expr:
    kind, flags, width = piece["kind"], piece["flags"], piece["width"]
    if kind == "t":
        return _padded(fill("COALESCE(__x, 'NULL')", x=as_text(value)), flags, width)
    if kind == "T":
        quoted = f"CASE WHEN TYPEOF(__x) = 'VARCHAR' THEN '\"' || __x || '\"' ELSE {AS_TEXT} END"
        shown = fill(f"COALESCE({quoted}, 'NULL')", x=value)
        return _padded(shown, flags, width)
    if kind == "s":
        return _padded(as_text(value), flags, width)
    type_name = "BIGINT" if kind in "dioxX" else "DOUBLE"
    if "'" in flags:
        pattern = f"{{:,{piece['precision']}{'' if type_name == 'BIGINT' else kind}}}"
        grouped = fill(
            "FORMAT(__p, __x)", p=text(pattern), x=exp.cast(value, type_name, copy=False)
        )
        return _padded(grouped, flags, width)
    pattern = f"%{flags}{width}{piece['precision']}{'d' if kind == 'i' else kind}"
    return fill("PRINTF(__p, __x)", p=text(pattern), x=exp.cast(value, type_name, copy=False))


def _padded(value: exp.Expr, flags: str, width: str) -> exp.Expr:
    """The text in its width, which does not cut it."""
    if not width:
        return value
    pattern = f"{{:{'<' if '-' in flags else '>'}{width}}}"
    return fill("FORMAT(__p, __x)", p=text(pattern), x=value)
