"""Asks GoogleSQL's own analyser, where it is installed, if BigQuery would accept a query.

The tables of a database are its catalog.
"""

import atexit
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wardround.core.installed_packages import installed_version
from wardround.ehr.database.googlesql.names import PROJECT, datasets_of
from wardround.ehr.database.googlesql.strictness.refusal import Rule, refusal
from wardround.ehr.database.googlesql.strictness.wasm_module import WasmModule, compiled_path
from wardround.ehr.database.googlesql.strictness.word_lists import word_list
from wardround.ehr.database.interface import QueryError

# The first fragment that an error contains tells the rule.
_FRAGMENTS: tuple[tuple[str, Rule], ...] = (
    ("Syntax error", "syntax"),
    ("No matching signature for operator =", "comparable types"),
    ("No matching signature for operator !=", "comparable types"),
    ("No matching signature for operator <", "comparable types"),
    ("No matching signature for operator >", "comparable types"),
    ("No matching signature for operator IN", "comparable types"),
    ("No matching signature for operator BETWEEN", "comparable types"),
    ("No matching signature for operator AND", "comparable types"),
    ("No matching signature for operator OR", "comparable types"),
    ("No matching signature for operator NOT", "comparable types"),
    ("No matching signature", "argument types"),
    ("should return type BOOL", "comparable types"),
    ("uncomparable types", "comparable types"),
    ("UNION ALL has", "set columns"),
    ("Queries in", "set columns"),
    ("has incompatible types", "comparable types"),
    ("Function not found", "unknown function"),
    ("Type not found", "unknown type"),
    ("ambiguous", "ambiguous column"),
    ("Duplicate table alias", "duplicate alias"),
    ("neither grouped nor aggregated", "grouped columns"),
    ("Table not found", "table name"),
    ("Unrecognized name", "unknown column"),
    ("not found", "unknown column"),
    ("does not exist", "unknown column"),
    ("Aggregations of aggregations", "nested aggregates"),
    ("aggregation function", "aggregate not allowed"),
    ("Aggregate function", "aggregate not allowed"),
    ("without an OVER clause", "analytic only"),
    ("analytic function", "window not allowed"),
    ("Analytic function", "window not allowed"),
    ("Window ", "window form"),
    ("one output column", "subquery columns"),
    ("more than one column", "subquery columns"),
    ("ORDER BY does not support", "orderable types"),
    ("is not defined for arguments", "orderable types"),
)

# The columns of each table, with BigQuery's types.
Columns = Mapping[str, Mapping[str, str]]

_SERVER_ERROR = re.compile(r"Code: \d+, Message: (?P<message>.*)", re.DOTALL)
_PLACE = re.compile(r" \[at (?P<line>\d+):(?P<column>\d+)\]")

# BigQuery's other names of INT64.
_WHOLE_NUMBERS = ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "BYTEINT")
Table = tuple[str, tuple[tuple[str, str], ...]]


def is_installed() -> bool:
    """True if the extra `googlesql` is installed."""
    return find_spec("zetasql") is not None


@cache
def compiled_module() -> Path | None:
    """The analyser compiled for this machine, at the first call; None if it is not installed."""
    return compiled_path() if is_installed() else None


def version() -> str:
    """GoogleSQL's analyser with its version; "" if it is not installed."""
    return f"GoogleSQL's analyser {installed_version('zetasql')}" if is_installed() else ""


def check(sql: str, columns: Columns, module: Path) -> None:
    """Refuse one query that GoogleSQL's analyser refuses.

    Args:
        sql: The query.
        columns: The columns of each table, with BigQuery's types.
        module: The compiled module.

    Raises:
        QueryError: It breaks a rule.
    """
    tables = tuple((name, tuple(types.items())) for name, types in sorted(columns.items()))
    message = _message(sql, _registered(tables, module), module)
    if message:
        match = _PLACE.search(message)
        text = " ".join(_PLACE.sub("", message).split())
        at = f" (line {match['line']}, column {match['column']})" if match else ""
        raise refusal(rule_of(text), f"{text}{at}")


@lru_cache(maxsize=1024)
def _message(sql: str, registered: int, module: Path) -> str:
    """The analyser's error, empty if there is none; a gold runs more than once."""
    import wasmtime
    from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2

    request = local_service_pb2.AnalyzeRequest(
        registered_catalog_id=registered, sql_statement=sql, options=_options(module)
    )
    try:
        error = _module(module).call("Analyze", request.SerializeToString())[1]
    except wasmtime.WasmtimeError as trap:
        _forget()
        raise QueryError("The query is too large to check; write a simpler one.", "limit") from trap
    match = _SERVER_ERROR.match(error)
    return match["message"] if match else error


def _forget() -> None:
    """Start a new instance at the next query: memory of one that failed cannot be trusted."""
    _message.cache_clear()
    _registered.cache_clear()
    _language.cache_clear()
    _options.cache_clear()
    _module.cache_clear()


@cache
def _module(path: Path) -> WasmModule:
    # Closed before the interpreter takes the modules away that close it.
    atexit.register(_forget)
    return WasmModule(path)


@cache
def _language(module: Path) -> Any:
    from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2
    from zetasql.wasi._pb2.zetasql.proto import options_pb2
    from zetasql.wasi._pb2.zetasql.public import options_pb2 as public

    request = local_service_pb2.LanguageOptionsRequest(maximum_features=True)
    answer, _ = _module(module).call("GetLanguageOptions", request.SerializeToString())
    language = options_pb2.LanguageOptionsProto.FromString(answer)
    features = public.LanguageFeature
    enabled = {
        number
        for number in language.enabled_language_features
        if not _names(features.Name(number)) & word_list("absent_features.txt")
    }
    enabled.add(features.Value("FEATURE_DISABLE_FLOAT32"))
    language.ClearField("enabled_language_features")
    language.enabled_language_features.extend(sorted(enabled))
    language.product_mode = public.PRODUCT_EXTERNAL
    return language


def _names(feature: str) -> set[str]:
    bare = feature.removeprefix("FEATURE_")
    return {bare, re.sub(r"^V_\d_\d_", "", bare)}


@cache
def _options(module: Path) -> Any:
    from zetasql.wasi._pb2.zetasql.proto import options_pb2
    from zetasql.wasi._pb2.zetasql.public import options_pb2 as public

    return options_pb2.AnalyzerOptionsProto(
        language_options=_language(module),
        error_message_mode=public.ERROR_MESSAGE_ONE_LINE,
        default_timezone="UTC",
        prune_unused_columns=True,
    )


@lru_cache(maxsize=32)
def _registered(tables: tuple[tuple[str, tuple[tuple[str, str], ...]], ...], module: Path) -> int:
    from zetasql.wasi._pb2.zetasql.local_service import local_service_pb2

    request = local_service_pb2.RegisterCatalogRequest(
        simple_catalog=catalog(tables, _language(module))
    )
    answer, error = _module(module).call("RegisterCatalog", request.SerializeToString())
    if error:
        raise RuntimeError(f"GoogleSQL's analyser did not take the catalog: {error}")
    number: int = local_service_pb2.RegisterResponse.FromString(answer).registered_id
    return number


def rule_of(message: str) -> Rule:
    """The rule that a message names.

    >>> rule_of("Unrecognized name: age")
    'unknown column'
    """
    return next((rule for fragment, rule in _FRAGMENTS if fragment in message), "argument types")


def catalog(tables: Iterable[Table], language: Any) -> Any:
    """The catalog: datasets by name, with and without their project, and built-in functions."""
    from zetasql.wasi._pb2.zetasql.proto import options_pb2, simple_catalog_pb2

    datasets: dict[str, list[Table]] = {}
    listed = list(tables)
    for table in listed:
        for dataset in datasets_of(table[0], [name for name, _ in listed]):
            datasets.setdefault(dataset, []).append(table)
    bare = datasets.pop("", [])
    made = [_dataset(name, members) for name, members in datasets.items()]
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
