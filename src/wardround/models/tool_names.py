"""Tool names as providers take them: letters, digits, "_" and "-", at most 64 of them.

Ours may hold dots as well (`MedicationRequest.search`). They are translated where a request
leaves and a reply arrives; agents, trajectories and recordings hold only ours.
"""

import re
from collections.abc import Iterable

from wardround.core.errors import UserError

_OURS = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
LONGEST = 64


def provider_name(name: str) -> str:
    """A tool's name for the provider.

    >>> provider_name("MedicationRequest.search")
    'MedicationRequest-search'
    """
    return name.replace(".", "-")


def names_by_provider_name(names: Iterable[str]) -> dict[str, str]:
    """Our names by the provider's; to be asked for all tools of one request together.

    Raises:
        UserError: a name has other characters or is too long, or two would be the same.
    """
    found: dict[str, str] = {}
    for name in names:
        if not _OURS.fullmatch(name) or len(name) > LONGEST:
            raise UserError(
                f"The tool name {name!r} cannot be sent to a language model: use at most "
                f"{LONGEST} letters, digits, '_', '-' and '.', and begin with a letter or '_'."
            )
        other = found.setdefault(provider_name(name), name)
        if other != name:
            raise UserError(
                f"The tools {other!r} and {name!r} have the same name for a language model, "
                f"{provider_name(name)!r}: rename one of them."
            )
    return found
