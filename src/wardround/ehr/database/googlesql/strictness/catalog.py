"""A database's tables as a catalog of GoogleSQL's analyser."""

from collections.abc import Iterable
from typing import Any

from wardround.ehr.database.googlesql.names import PROJECT, datasets_of

# BigQuery's other names of INT64.
_WHOLE_NUMBERS = ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT")
Table = tuple[str, tuple[tuple[str, str], ...]]


def catalog(tables: Iterable[Table], language: Any) -> Any:
    """The catalog: datasets by name, with and without their project, and built-in functions."""
    from zetasql.wasi._pb2.zetasql.proto import options_pb2, simple_catalog_pb2

    datasets: dict[str, list[Table]] = {}
    listed = list(tables)
    for table in listed:
        for dataset in datasets_of(table[0], [name for name, _ in listed]):
            datasets.setdefault(dataset, []).append(table)
    bare = datasets.pop("", [])
    made = [_dataset(name, held) for name, held in datasets.items()]
    project = simple_catalog_pb2.SimpleCatalogProto(name=PROJECT, catalog=made)
    return simple_catalog_pb2.SimpleCatalogProto(
        name="root",
        table=[_table(*each) for each in bare],
        catalog=[*made, project],
        named_type=[_whole_number(name) for name in _WHOLE_NUMBERS],
        custom_function=[_extreme_by("max_by"), _extreme_by("min_by"), _contains_text()],
        builtin_function_options=options_pb2.ZetaSQLBuiltinFunctionOptionsProto(
            language_options=language
        ),
    )


def _dataset(name: str, tables: Iterable[Table]) -> Any:
    from zetasql.wasi._pb2.zetasql.proto import simple_catalog_pb2

    return simple_catalog_pb2.SimpleCatalogProto(
        name=name, table=[_table(*each) for each in tables]
    )


def _table(name: str, columns: Iterable[tuple[str, str]]) -> Any:
    from zetasql.wasi._pb2.zetasql.public import simple_table_pb2

    return simple_table_pb2.SimpleTableProto(
        name=name, column=[_column(*column) for column in columns]
    )


def _column(name: str, kind: str) -> Any:
    from zetasql.wasi._pb2.zetasql.public import simple_table_pb2, type_pb2

    name_of_kind = "TYPE_DOUBLE" if kind == "FLOAT64" else f"TYPE_{kind}"
    number = type_pb2.TypeKind.Value(name_of_kind)
    return simple_table_pb2.SimpleColumnProto(name=name, type=type_pb2.TypeProto(type_kind=number))


def _whole_number(name: str) -> Any:
    from zetasql.wasi._pb2.zetasql.proto import simple_catalog_pb2
    from zetasql.wasi._pb2.zetasql.public import type_pb2

    return simple_catalog_pb2.SimpleCatalogProto.NamedTypeProto(
        name=name, type=type_pb2.TypeProto(type_kind=type_pb2.TYPE_INT64)
    )


def _extreme_by(name: str) -> Any:
    """MAX_BY or MIN_BY, which the analyser does not have."""
    from zetasql.wasi._pb2.zetasql.public import function_pb2 as public

    value, order = _argument(public.ARG_TYPE_ANY_1), _argument(public.ARG_TYPE_ANY_2)
    return _function(name, public.FunctionEnums.AGGREGATE, [value, order], value)


def _contains_text() -> Any:
    """CONTAINS_SUBSTR, which the analyser does not have."""
    from zetasql.wasi._pb2.zetasql.public import function_pb2 as public
    from zetasql.wasi._pb2.zetasql.public import type_pb2

    text = _argument(public.ARG_TYPE_FIXED, type_pb2.TYPE_STRING)
    result = _argument(public.ARG_TYPE_FIXED, type_pb2.TYPE_BOOL)
    searched = _argument(public.ARG_TYPE_ANY_1)
    return _function("contains_substr", public.FunctionEnums.SCALAR, [searched, text], result)


def _argument(kind: int, type_kind: int | None = None) -> Any:
    from zetasql.wasi._pb2.zetasql.proto import function_pb2
    from zetasql.wasi._pb2.zetasql.public import type_pb2

    fixed = None if type_kind is None else type_pb2.TypeProto(type_kind=type_kind)
    return function_pb2.FunctionArgumentTypeProto(kind=kind, type=fixed, num_occurrences=-1)


def _function(name: str, mode: int, arguments: list[Any], result: Any) -> Any:
    from zetasql.wasi._pb2.zetasql.proto import function_pb2

    signature = function_pb2.FunctionSignatureProto(argument=arguments, return_type=result)
    return function_pb2.FunctionProto(
        name_path=[name], group="BigQuery", mode=mode, signature=[signature]
    )
