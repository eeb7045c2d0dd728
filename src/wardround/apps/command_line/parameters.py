"""Converts a model's fields to options, and options to the parameters of a command."""

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import Parameter, Signature
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typer
import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined
from typer.core import TyperCommand

from wardround.core.errors import UserError

_PLAIN = (bool, int, float, str, Path)
_LISTS = (list, tuple, set, frozenset, Sequence)


class CommandOption(NamedTuple):
    """An option of a command.

    Attributes:
        name: The keyword of its value.
        kind: The type for Typer.
        help: Its line of help, ending in brackets with the default if that is computed later.
        default: Its default value.
        group: Its heading in the help; empty for the heading of its command's part.
        typed: Its command-line name; empty for its name with hyphens.
        required: True if it has no default.
        argument: True for a positional argument.
        at_least: Its lower bound.
        at_most: Its upper bound.
    """

    name: str
    kind: Any
    help: str
    default: Any = None
    group: str = ""
    typed: str = ""
    required: bool = False
    argument: bool = False
    at_least: float | None = None
    at_most: float | None = None


class OptionsCommand(TyperCommand):
    """A command with grouped help, whose errors name the owners of unknown options."""

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
        """Parses the arguments; refuses options of other plug-ins and names their owners."""
        options = {word for parameter in self.get_params(ctx) for word in parameter.opts}
        for word in args[: args.index("--")] if "--" in args else args:
            option = word.partition("=")[0]
            if (
                option.startswith("--")
                and option not in options
                and (who := self.elsewhere(option))
            ):
                raise UserError(f"{option} {who}; leave it out.")
        return super().parse_args(ctx, args)


def options_command(
    name: str,
    summary: str,
    options: Mapping[str, Iterable[CommandOption]],
    action: Callable[[dict[str, Any]], None],
    notes: Mapping[str, str] = MappingProxyType({}),
) -> OptionsCommand:
    """A command with options in groups.

    Args:
        name: Its name.
        summary: Its purpose, in a line.
        options: Options by the heading for those without a group.
        action: Called with the typed values by name.
        notes: Additions to the help of options.
    """
    parameters = [
        _parameter(option, title, notes.get(option.name, ""))
        for title, group in options.items()
        for option in group
    ]

    def call(**values: Any) -> None:
        context: typer.Context = values.pop("_context")
        action({name: value for name, value in values.items() if _is_typed(context, name)})

    context = Parameter("_context", Parameter.KEYWORD_ONLY, annotation=typer.Context)
    call.__signature__ = Signature([context, *parameters])  # type: ignore[attr-defined]
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=summary, cls=OptionsCommand)(call)
    command: Any = typer.main.get_command(app)
    typed: OptionsCommand = command
    return typed


def option_name(field: str) -> str:
    """The command-line name of a field.

    >>> option_name("current_time")
    '--current-time'
    """
    return f"--{field.replace('_', '-')}"


def with_defaults(options: Iterable[CommandOption], typed: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the options, with defaults for those not typed."""
    return {option.name: typed.get(option.name, option.default) for option in options}


def options_of(model: type[BaseModel]) -> list[CommandOption]:
    """The fields of a model as options of a command."""
    return [_option(name, field) for name, field in model.model_fields.items()]


def _option(name: str, field: FieldInfo) -> CommandOption:
    extra = field.json_schema_extra
    hints = dict(extra) if isinstance(extra, Mapping) else {}
    at_least, at_most = _bounds(field)
    return CommandOption(
        name,
        _kind(field.annotation),
        field.description or "",
        default=_default(field),
        group=str(hints.get("group", "")),
        typed=str(hints.get("option", "")),
        required=field.is_required(),
        argument=bool(hints.get("argument")),
        at_least=at_least,
        at_most=at_most,
    )


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _parameter(option: CommandOption, title: str, note: str) -> Parameter:
    text = " ".join(filter(None, [option.help, note]))
    about: dict[str, Any] = {"help": text, "rich_help_panel": option.group or title}
    if option.kind in (int, float):
        about |= {"min": option.at_least, "max": option.at_most}
    several = get_origin(option.kind) is list
    if several:
        about["metavar"] = f"<{get_args(option.kind)[0].__name__.lower()}>"
    if option.argument:
        typer_info = typer.Argument(help=text, show_default=False)
    else:
        typer_info = typer.Option(option.typed or option_name(option.name), **about)
    default = None if several else option.default
    return Parameter(
        option.name,
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if option.required else default,
        annotation=Annotated[option.kind if option.required else (option.kind | None), typer_info],
    )


def _kind(annotation: Any) -> Any:
    """The type of a field for Typer; Pydantic validates the value afterwards.

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


def _bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """The bounds of a number."""
    at_least = at_most = None
    for each in field.metadata:
        at_least = getattr(each, "ge", at_least)
        at_most = getattr(each, "le", at_most)
    return at_least, at_most
