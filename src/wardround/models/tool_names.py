"""Names of tools and parameters for providers, which accept letters, digits, "_" and "-".

Ours may have other characters, too (`MedicationRequest.search`, `code:in`). They are translated
when a request is sent and when its reply arrives; agents, trajectories and recordings have ours
only.
"""

import re
from collections.abc import Iterable
from typing import Any

from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec

LONGEST = 64
_TOOL = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_REFUSED = re.compile(r"[^A-Za-z0-9_.-]")


def provider_name(name: str) -> str:
    """A tool's name for the provider.

    >>> provider_name("MedicationRequest.search")
    'MedicationRequest-search'
    """
    return name.replace(".", "-")


def names_by_provider_name(names: Iterable[str]) -> dict[str, str]:
    """Our names by the provider's, for all tools of a request.

    Raises:
        UserError: a name is too long or has other characters, or two become the same.
    """
    found: dict[str, str] = {}
    for name in names:
        if not _TOOL.fullmatch(name) or len(name) > LONGEST:
            raise UserError(
                f"The tool name {name!r} cannot be sent to a language model: use at most "
                f"{LONGEST} letters, digits, '_', '-' and '.', and begin with a letter or '_'."
            )
        first = found.setdefault(provider_name(name), name)
        if first != name:
            raise UserError(
                f"The tools {first!r} and {name!r} have the same name for a language model, "
                f"{provider_name(name)!r}: rename one of them."
            )
    return found


def provider_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments with the provider's names.

    >>> provider_arguments({"_count": 3, "code:in": "icd-10"})
    {'_count': 3, 'code-in': 'icd-10'}
    """
    return {_REFUSED.sub("-", name): value for name, value in arguments.items()}


def our_arguments(arguments: dict[str, Any], tool: ToolSpec) -> dict[str, Any]:
    """Arguments of a tool with our names; unknown ones stay as they are."""
    ours = {_REFUSED.sub("-", name): name for name in tool.parameters.get("properties", {})}
    return {ours.get(name, name): value for name, value in arguments.items()}


def provider_parameters(tool: ToolSpec) -> dict[str, Any]:
    """A tool's JSON schema with the provider's names of its parameters.

    Raises:
        UserError: two parameters become the same.
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
