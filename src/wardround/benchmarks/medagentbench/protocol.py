"""The published text protocol: a message is a GET, a POST with JSON, or FINISH with answers."""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

BASE = "http://localhost:8080/fhir/"
NOW = "2023-11-13T10:15:00+00:00"
# The published loop adds it to every address, with or without a query.
_FORMAT = "&_format=json"
_FENCES = ("```tool_code", "```")


@dataclass(frozen=True, slots=True)
class Get:
    """A search; `url` is the address that is fetched."""

    url: str


@dataclass(frozen=True, slots=True)
class Post:
    """A write with its payload, which may be any JSON value."""

    url: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Rejected:
    """A write whose payload is not JSON; the trial goes on."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The end with the agent's answers, as text that should be JSON."""

    result: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """A message that is none of these; it ends the trial without a result."""


Message: TypeAlias = Get | Post | Rejected | Finish | Invalid


def parse_message(text: str) -> Message:
    """Reads a message of the agent; fences of code are deleted wherever they stand.

    The answers are the text after the bracket less its last character, whatever that is.

    >>> parse_message("GET http://localhost:8080/fhir/Patient?name=Roe")
    Get(url='http://localhost:8080/fhir/Patient?name=Roe&_format=json')
    >>> parse_message("FINISH([42])"), parse_message("FINISH([42]."), parse_message("I think 42.")
    (Finish(result='[42]'), Finish(result='[42]'), Invalid())
    """
    plain = text.strip()
    for fence in _FENCES:
        plain = plain.replace(fence, "")
    plain = plain.strip()
    if plain.startswith("GET"):
        return Get(plain.removeprefix("GET").strip() + _FORMAT)
    if plain.startswith("POST"):
        try:
            return parse_post(plain)
        except ValueError:
            return Rejected()
    if plain.startswith("FINISH("):
        return Finish(plain.removeprefix("FINISH(")[:-1])
    return Invalid()


def parse_post(text: str) -> Post:
    r"""Reads a write: the first line without its first four characters, and JSON below it.

    Raises:
        ValueError: the lines below the first are not JSON.

    >>> parse_post('POST x/Flag\n{"resourceType": "Flag"}')
    Post(url='x/Flag', payload={'resourceType': 'Flag'})
    """
    first, _, rest = text.partition("\n")
    return Post(first[4:].strip(), read_json(rest))


def read_json(text: str) -> Any:
    """The JSON value of a text as Python's own reader reads it, NaN and large numbers included.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def path_below_base(url: str) -> str | None:
    """The address below the server's base; None for another server.

    >>> path_below_base("http://localhost:8080/fhir/Patient?name=Roe&_format=json")
    'Patient?name=Roe&_format=json'
    """
    return url.removeprefix(BASE) if url.startswith(BASE) else None
