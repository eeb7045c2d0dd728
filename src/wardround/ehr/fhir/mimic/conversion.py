"""A conversion of rows to resources, and its parts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.zone import Zone


@dataclass(frozen=True, slots=True)
class Conversion:
    """One kind of resource from the tables of a group.

    Attributes:
        name: the kind's name, as in the files of MIMIC-IV on FHIR.
        tables: tables without which there are none of these resources.
        rows: SQL of one row for each resource.
        build: the resource of a row.
    """

    name: str
    tables: tuple[str, ...]
    rows: str
    build: Callable[[Any, Zone], Resource]
