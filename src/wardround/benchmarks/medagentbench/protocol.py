"""The published text protocol: a message is a GET, a POST with JSON, or FINISH with answers."""

import re
from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

BASE = "http://localhost:8080/fhir/"
NOW = "2023-11-13T10:15:00+00:00"
_FINISH = re.compile(r"FINISH\((.*)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Get:
    """A search; `url` is as the agent wrote it."""

    url: str


@dataclass(frozen=True, slots=True)
class Post:
    """A write; `payload` is None if it is not JSON."""

    url: str
    payload: Any


@dataclass(frozen=True, slots=True)
class Finish:
    """The end with the agent's answers, as the text within the brackets."""

    result: str


@dataclass(frozen=True, slots=True)
class Invalid:
    """A message that is none of these."""


Message: TypeAlias = Get | Post | Finish | Invalid


def parse_message(text: str) -> Message:
    """Reads a message of the agent; fences of code around it are ignored.

    >>> parse_message("GET http://localhost:8080/fhir/Patient?name=Roe")
    Get(url='http://localhost:8080/fhir/Patient?name=Roe')
    >>> parse_message('FINISH([42])'), parse_message("Let me think.")
    (Finish(result='[42]'), Invalid())
    """
    plain = text.strip().replace("```tool_code", "").replace("```", "").strip()
    if plain.startswith("GET"):
        return Get(plain[3:].strip())
    if plain.startswith("POST"):
        url, _, payload = plain[4:].strip().partition("\n")
        return Post(url.strip(), as_json(payload))
    if found := _FINISH.match(plain):
        return Finish(found[1])
    return Invalid()


def as_json(text: str) -> Any:
    """The JSON value of a text; None if it is none."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def path_below_base(url: str) -> str | None:
    """The address below the server's base; None for another server.

    >>> path_below_base("http://localhost:8080/fhir/Patient?name=Roe&_format=json")
    'Patient?name=Roe&_format=json'
    """
    return url.removeprefix(BASE) if url.startswith(BASE) else None
