"""Looks up declarations of installed plug-ins, or of your own classes and functions."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, getdoc, isfunction, signature
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from wardround.core import plugins
from wardround.core.declaration import (
    AgentDeclaration,
    BenchmarkDeclaration,
    Layout,
    Options,
    WorkDeclaration,
)
from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.core.benchmark import Benchmark

Model = TypeVar("Model", bound=BaseModel)


def benchmark_declaration(name: str) -> BenchmarkDeclaration:
    """The declaration of a benchmark.

    Args:
        name: An installed name, or `module:attribute` of a declaration or of a class; a class may
            hold its declaration as the attribute `declaration`.

    Raises:
        UserError: There is no such benchmark, or it cannot be imported.
    """
    loaded = plugins.load(plugins.BENCHMARKS, name)
    loaded = getattr(loaded, "declaration", loaded)
    if isinstance(loaded, BenchmarkDeclaration):
        return loaded
    if not isinstance(loaded, type):
        installed = ", ".join(plugins.names(plugins.BENCHMARKS))
        raise UserError(
            f"{name!r} is not a benchmark; name an installed one ({installed}), or your own class "
            "or declaration as module:Class."
        )
    return BenchmarkDeclaration(name, _first_line(loaded), name)


def benchmark_class(name: str) -> "type[Benchmark]":
    """The class of a benchmark, not opened.

    Raises:
        UserError: There is no such benchmark, it cannot be imported, or its methods are not those
            of a benchmark.
    """
    from wardround.core.benchmark_check import method_faults  # not needed for help

    location = benchmark_declaration(name).implementation
    loaded: type[Benchmark] = plugins.implementation(location)
    if faults := method_faults(loaded):
        raise UserError(f"{location} is not a benchmark: {faults[0]}.")
    return loaded


def agent_declaration(name: str) -> AgentDeclaration:
    """The declaration of an agent; a bare function's options are its keyword-only parameters.

    Raises:
        UserError: There is no such agent, or it cannot be imported.

    >>> agent_declaration("wardround.agents.native_tools:open_agents").options.model_fields
    {}
    """
    loaded = plugins.load(plugins.AGENTS, name)
    if isinstance(loaded, AgentDeclaration):
        return loaded
    if not callable(loaded):
        raise UserError(f"{name!r} is not an agent; name a function or a declaration of an agent.")
    return AgentDeclaration(name, _first_line(loaded), name, _keyword_options(loaded))


def installed_agent(name: str) -> AgentDeclaration | None:
    """The declaration of an installed agent; None for other agents and for bare functions.

    >>> installed_agent("oracle") is installed_agent("my_module:Agent") is None
    True
    """
    if name not in plugins.names(plugins.AGENTS):
        return None
    loaded = plugins.load(plugins.AGENTS, name)
    return loaded if isinstance(loaded, AgentDeclaration) else None


def work_declaration(kind: plugins.WorkKind, name: str) -> WorkDeclaration:
    """The declaration of work; a bare function's options are the model of its first parameter.

    Args:
        kind: The kind of work.
        name: An installed name, or `module:attribute` of a declaration or of a function.

    Raises:
        UserError: There is no such work, or it cannot be imported.
    """
    loaded = plugins.load(plugins.work(kind), name)
    if isinstance(loaded, WorkDeclaration):
        return loaded
    types = list(get_type_hints(loaded).values()) if isfunction(loaded) else []
    if not types or not isinstance(types[0], type) or not issubclass(types[0], BaseModel):
        raise UserError(
            f"{name!r} is neither a declaration of work nor a function whose first parameter is "
            "a model of options."
        )
    return WorkDeclaration(name, _first_line(loaded), name, types[0])


def layouts_by_benchmark() -> dict[str, Sequence[Layout]]:
    """The layouts of every installed benchmark that can be imported."""
    return {
        name: loaded.layouts
        for name, loaded in plugins.load_all(plugins.BENCHMARKS)
        if isinstance(loaded, BenchmarkDeclaration)
    }


def benchmarks_of_any_schema() -> frozenset[str]:
    """The benchmarks whose tasks, written by a user, run on a database of any schema."""
    return frozenset(
        name
        for name, loaded in plugins.load_all(plugins.BENCHMARKS)
        if isinstance(loaded, BenchmarkDeclaration) and loaded.any_schema
    )


def checked_options(
    model: type[Model],
    values: Mapping[str, Any],
    option: Callable[[str], str],
    roles: Sequence[str] = (),
) -> Model:
    """Validates the options of a plug-in.

    Args:
        model: The options that it declares.
        values: Values by option.
        option: Formats an option's name for error messages.
        roles: Roles that have a language model.

    Raises:
        UserError: An option is missing, unknown or wrong.
    """
    try:
        return model.model_validate(dict(values), context={"roles": tuple(roles)})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        text = problem["msg"].removeprefix("Value error, ")
        where = option(str(problem["loc"][0])) if problem["loc"] else ""
        if problem["type"] == "missing":
            raise UserError(f"{where} is needed; add it.") from None
        if problem["type"] == "extra_forbidden":
            available = ", ".join(map(option, model.model_fields)) or "none"
            raise UserError(f"There is no option {where} here; there are: {available}.") from None
        raise UserError(f"{where}: {text}." if where else f"{text}.") from None


def _keyword_options(function: Callable[..., Any]) -> type[BaseModel]:
    takes = [p for p in signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    types = get_type_hints(function, include_extras=True) if takes else {}
    fields: dict[str, Any] = {
        p.name: (types.get(p.name, str), ... if p.default is Parameter.empty else p.default)
        for p in takes
    }
    return create_model("Options", __base__=Options, **fields)


def _first_line(loaded: Any) -> str:
    return (getdoc(loaded) or "").partition("\n")[0]
