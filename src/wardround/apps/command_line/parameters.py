"""Makes the parameters of a command from the fields of an options model."""

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter, Signature
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.core import TyperCommand

from wardround.core.errors import UserError

_PLAIN = (bool, int, float, str, Path)
_LISTS = (list, tuple, set, frozenset, Sequence)


class OptionsCommand(TyperCommand):
    """A command with help in groups; it names the owners of options that it lacks."""

    # Names the other owners of an option that this command lacks.
    elsewhere: Callable[[str], str] = staticmethod(lambda option: "")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Writes arguments, then each group of options under its own heading."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            argument = parameter.param_type_name == "argument"
            title = getattr(parameter, "rich_help_panel", None) or "Options"
            if (record := parameter.get_help_record(ctx)) is not None:
                groups.setdefault("Arguments" if argument else str(title), []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the arguments; refuses an option of another plug-in and names its owner."""
        own = {word for parameter in self.get_params(ctx) for word in parameter.opts}
        for word in args[: args.index("--")] if "--" in args else args:
            option = word.partition("=")[0]
            if option.startswith("--") and option not in own and (who := self.elsewhere(option)):
                raise UserError(f"{option} {who}; leave it out.")
        return super().parse_args(ctx, args)


def options_command(
    name: str,
    summary: str,
    models: Mapping[str, type[BaseModel]],
    action: Callable[[dict[str, Any]], None],
    notes: Mapping[str, str] = MappingProxyType({}),
) -> OptionsCommand:
    """A command that takes the fields of models.

    Args:
        name: Its name.
        summary: Its purpose, in a line.
        models: Models of options, each by the heading of its fields that name none.
        action: Called with the typed values, by field.
        notes: Additions to the help of fields.
    """
    parameters = [
        parameter
        for title, model in models.items()
        for parameter in _parameters(model, title, notes)
    ]

    def call(**values: Any) -> None:
        context: typer.Context = values.pop("_context")
        action({field: value for field, value in values.items() if _is_typed(context, field)})

    context = Parameter("_context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    call.__signature__ = Signature([context, *parameters])  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=summary, cls=OptionsCommand)(call)
    command: Any = typer.main.get_command(app)
    typed: OptionsCommand = command
    return typed


def option_name(field: str) -> str:
    """A field as it is typed.

    >>> option_name("current_time")
    '--current-time'
    """
    return f"--{field.replace('_', '-')}"


def _is_typed(context: typer.Context, field: str) -> bool:
    source = context.get_parameter_source(field)
    return source is not None and source.name == "COMMANDLINE"


def _parameters(
    model: type[BaseModel], title: str, notes: Mapping[str, str]
) -> Iterator[Parameter]:
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        hints = dict(extra) if isinstance(extra, Mapping) else {}
        kind = _kind(field.annotation)
        default: Any = Parameter.empty if field.is_required() else _default(field)
        text = " ".join(filter(None, [field.description, notes.get(name)]))
        about: dict[str, Any] = {"help": text, "rich_help_panel": title}
        about |= {"rich_help_panel": str(hints["group"])} if "group" in hints else {}
        about |= _bounds(field) if kind in (int, float) else {}
        several = get_origin(kind) is list
        if several:
            about["metavar"] = f"<{get_args(kind)[0].__name__.lower()}>"
        if hints.get("argument"):
            shown = typer.Argument(help=text, show_default=False)
        else:
            shown = typer.Option(str(hints.get("option", option_name(name))), **about)
        wanted = kind if default is Parameter.empty else (kind | None)
        yield Parameter(
            name,
            Parameter.KEYWORD_ONLY,
            default=None if several and default is not Parameter.empty else default,
            annotation=Annotated[wanted, shown],
        )


def _kind(annotation: Any) -> Any:
    """The type that Typer reads a value as; Pydantic checks it afterwards.

    >>> _kind(int | None), _kind(tuple[Path, ...]), _kind(float | Literal["none"])
    (<class 'int'>, list[pathlib.Path], <class 'str'>)
    """
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _kind(inner[0])
    if origin in (Union, types.UnionType):
        rest = [each for each in inner if each is not type(None)]
        return _kind(rest[0]) if len(rest) == 1 else str
    if origin in _LISTS:
        return list[_kind(inner[0])]  # type: ignore[misc]
    if origin is Literal and all(isinstance(each, str) for each in inner):
        return annotation
    return annotation if annotation in _PLAIN else str


def _default(field: FieldInfo) -> Any:
    value = field.get_default(call_default_factory=False)
    plain = value is not PydanticUndefined and isinstance(value, (*_PLAIN, type(None)))
    return value if plain else None


def _bounds(field: FieldInfo) -> dict[str, Any]:
    bounds = {"min": None, "max": None}
    for each in field.metadata:
        bounds["min"] = getattr(each, "ge", bounds["min"])
        bounds["max"] = getattr(each, "le", bounds["max"])
    return bounds
