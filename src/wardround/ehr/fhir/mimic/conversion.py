"""A conversion of rows to resources, and its parts."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.source import Source
from wardround.ehr.fhir.mimic.zone import Zone


@dataclass(frozen=True, slots=True)
class Conversion:
    """One kind of resource from the tables of a group.

    Attributes:
        name: the kind's name, as in the files of MIMIC-IV on FHIR.
        tables: tables without which there are none of these resources.
        rows: SQL of the rows.
        build: the resource of a row, or of one of its parts.
        parts: the parts of a row, one for each resource; by default the row itself.
    """

    name: str
    tables: tuple[str, ...]
    rows: str
    build: Callable[[Any, Zone], Resource]
    parts: Callable[[Any], Iterable[Any]] | None = None

    def resources(self, source: Source, zone: Zone) -> Iterator[Resource]:
        """The resources of a database."""
        for row in source.rows(self.rows):
            for part in self.parts(row) if self.parts else (row,):
                yield self.build(part, zone)
