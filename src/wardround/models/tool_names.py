"""Tool names for providers, which accept at most 64 letters, digits, "_" and "-".

Ours may have dots, too (`MedicationRequest.search`). They are translated when a request is sent
and when its reply arrives; agents, trajectories and recordings have ours only.
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
    """Our names by the provider's, for all tools of a request.

    Raises:
        UserError: a name is too long or has other characters, or two become the same.
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
