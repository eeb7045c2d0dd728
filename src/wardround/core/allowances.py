"""Files, variables and the network that `--agent-allow` gives a confined agent."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wardround.core.errors import UserError

OPTION = "--agent-allow"
_NETWORK, _READ, _VARIABLE = "net", "read", "env"


@dataclass(frozen=True, slots=True)
class Allowances:
    """The reach of a confined agent beyond its own files.

    Attributes:
        network: True for IPv4 and IPv6, local servers included.
        paths: Files and folders that it may read.
        variables: Environment variables that it gets.
    """

    network: bool = False
    paths: tuple[Path, ...] = ()
    variables: tuple[str, ...] = ()

    def environment(self) -> dict[str, str]:
        """The allowed environment variables.

        Raises:
            UserError: One is not set.
        """
        missing = [name for name in self.variables if name not in os.environ]
        if missing:
            raise UserError(
                f"{OPTION} {_VARIABLE}:{missing[0]} names a variable that is not set; set it or "
                "leave it out."
            )
        return {name: os.environ[name] for name in self.variables}


def absolute_allowance(word: str) -> str:
    """A word of `--agent-allow` with its path made absolute.

    Raises:
        ValueError: The text is neither `net`, `read:PATH` nor `env:NAME`.

    >>> absolute_allowance("env:MODEL_KEY")
    'env:MODEL_KEY'
    """
    kind, _, value = word.partition(":")
    if kind == _READ and value:
        return f"{_READ}:{Path(value).expanduser().absolute()}"
    if word == _NETWORK or (kind == _VARIABLE and value and "=" not in value):
        return word
    raise ValueError(f"{OPTION} {word!r} is none of net, read:PATH, env:NAME")


def parse_allowances(words: Sequence[str]) -> Allowances:
    """The allowances of checked words.

    >>> parse_allowances(["net", "env:MODEL_KEY"])
    Allowances(network=True, paths=(), variables=('MODEL_KEY',))
    """
    of_kind = {
        kind: tuple(word.partition(":")[2] for word in words if word.startswith(f"{kind}:"))
        for kind in (_READ, _VARIABLE)
    }
    return Allowances(_NETWORK in words, tuple(map(Path, of_kind[_READ])), of_kind[_VARIABLE])
