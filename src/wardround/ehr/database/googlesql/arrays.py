"""UNNEST: structs by their fields, offsets from 0."""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill

_ARRAY = "_array"


def named_structs(node: exp.Array) -> exp.Expr | None:
    """An array of structs, in which the first names the fields of all."""
    first = node.expressions[0] if node.expressions else None
    names = _field_names(first) or _typed_names(node.parent)
    if not names:
        return None
    structs = [_named(each, names) for each in node.expressions]
    return exp.Array(expressions=structs)


def _field_names(first: exp.Expr | None) -> list[str]:
    if not isinstance(first, exp.Struct):
        return []
    return [
        field.this.name if isinstance(field, exp.PropertyEQ) else field.output_name
        for field in first.expressions
    ]


def _typed_names(cast: exp.Expr | None) -> list[str]:
    """The fields of ARRAY<STRUCT<…>>[…]."""
    if not isinstance(cast, exp.Cast) or not cast.to.expressions:
        return []
    struct = cast.to.expressions[0]
    fields = struct.expressions if isinstance(struct, exp.DataType) else []
    return [field.name for field in fields if isinstance(field, exp.ColumnDef)]


def _named(value: exp.Expr, names: list[str]) -> exp.Expr:
    if not isinstance(value, exp.Struct | exp.Tuple) or len(value.expressions) != len(names):
        return value.copy()
    fields = [
        exp.PropertyEQ(
            this=exp.to_identifier(name, quoted=True),
            expression=(field.expression if isinstance(field, exp.PropertyEQ) else field).copy(),
        )
        for name, field in zip(names, value.expressions, strict=True)
    ]
    return exp.Struct(expressions=fields)


def unnested(node: exp.Unnest) -> exp.Expr | None:
    """UNNEST as a subquery where it has an offset or its structs are known."""
    if not isinstance(node.parent, exp.From | exp.Join):
        return None
    array, offset = node.expressions[0], node.args.get("offset")
    structs = _holds_structs(array)
    if not offset and not structs:
        return None
    alias = node.args.get("alias")
    named = alias.columns[0] if alias and alias.columns else None
    template = "SELECT UNNEST(__a, max_depth => 2)" if structs else "SELECT UNNEST(__a)"
    # The array is written once: as the column of a query if its elements are numbered.
    listed = exp.column(_ARRAY) if offset else array
    query = fill(template, a=listed)
    assert isinstance(query, exp.Select)  # noqa: S101 - by its template
    if named is not None and not structs:
        query.selects[0].replace(exp.alias_(query.selects[0].copy(), named.name, quoted=True))
    if offset:
        name = offset.name if isinstance(offset, exp.Identifier) else "offset"
        index = fill("GENERATE_SUBSCRIPTS(__a, 1) - 1", a=exp.column(_ARRAY))
        query.select(exp.alias_(index, name, quoted=True), copy=False)
        inner = exp.Select(expressions=[exp.alias_(array, _ARRAY)])
        query.from_(exp.Subquery(this=inner), copy=False)
    source = exp.to_identifier(named.name, quoted=True) if named is not None and structs else None
    return exp.Subquery(this=query, alias=exp.TableAlias(this=source) if source else None)


def _holds_structs(array: exp.Expr) -> bool:
    if isinstance(array, exp.Cast):
        return _holds_structs(array.this)
    return (
        isinstance(array, exp.Array)
        and bool(array.expressions)
        and isinstance(array.expressions[0], exp.Struct)
    )
