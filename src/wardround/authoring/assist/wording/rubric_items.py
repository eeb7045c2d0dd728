"""Rubric items with the sources of their values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wardround.authoring.assist.facts.sources import Source
from wardround.benchmarks.assist.sessions import Language


@dataclass(frozen=True, slots=True)
class Item:
    """A rubric item.

    Attributes:
        texts: its words by language.
        sources: where its values come from.
        check: its stored check; None if its sentence is compiled.
    """

    texts: Mapping[Language, str]
    sources: tuple[Source, ...]
    check: Mapping[str, Any] | None = None
