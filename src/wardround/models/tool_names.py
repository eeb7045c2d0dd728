"""Names of tools and parameters for providers, which accept letters, digits, "_" and "-".

Benchmarks may use other characters (`Chart.search`, `code:in`). Names are translated
when a request is sent and when its reply arrives; agents, trajectories and recordings contain the
original names only.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec

LONGEST = 64
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_REFUSED = re.compile(r"[^A-Za-z0-9_.-]")


def provider_name(name: str) -> str:
    """The provider's name of a tool.

    >>> provider_name("Chart.search")
    'Chart-search'
    """
    return name.replace(".", "-")


def names_by_provider_name(names: Iterable[str]) -> dict[str, str]:
    """Original tool names by provider's name, for all tools of a request.

    Raises:
        UserError: a name is too long or has forbidden characters, or two names collide.
    """
    original_names: dict[str, str] = {}
    for name in names:
        if not _TOOL.fullmatch(name) or len(name) > LONGEST:
            raise UserError(
                f"The tool name {name!r} cannot be sent to a language model: use at most "
                f"{LONGEST} letters, digits, '_', '-' and '.', and begin with a letter or '_'."
            )
        first = original_names.setdefault(provider_name(name), name)
        if first != name:
            raise UserError(
                f"The tools {first!r} and {name!r} have the same name for a language model, "
                f"{provider_name(name)!r}: rename one of them."
            )
    return original_names


def provider_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments under the provider's parameter names.

    >>> provider_arguments({"_count": 3, "code:in": "icd-10"})
    {'_count': 3, 'code-in': 'icd-10'}
    """
    return {_REFUSED.sub("-", name): value for name, value in arguments.items()}


def our_arguments(arguments: dict[str, Any], tool: ToolSpec) -> dict[str, Any]:
    """Arguments under a tool's original parameter names; unknown names stay unchanged."""
    ours = {_REFUSED.sub("-", name): name for name in tool.parameters.get("properties", {})}
    return {ours.get(name, name): value for name, value in arguments.items()}


def provider_parameters(tool: ToolSpec) -> dict[str, Any]:
    """A tool's JSON schema with the provider's parameter names.

    Raises:
        UserError: two names collide.
    """
    schema = tool.parameters
    properties = provider_arguments(schema.get("properties", {}))
    if len(properties) < len(schema.get("properties", {})):
        raise UserError(
            f"Two parameters of the tool {tool.name!r} have the same name for a language model, "
            f"which takes only letters, digits, '_', '-' and '.': rename one of them."
        )
    renamed: dict[str, Any] = {"properties": properties} if properties else {}
    if "required" in schema:
        renamed["required"] = [_REFUSED.sub("-", name) for name in schema["required"]]
    return {**schema, **renamed}
