"""Names of BigQuery's MIMIC-IV datasets and tables, resolved to a file's tables."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlglot import exp

from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_query
from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.steps import put_source, tables_read
from wardround.ehr.database.interface import QueryError

PROJECT = "physionet-data"
_DATASET = re.compile(r"mimiciv_(?:3_1_)?(?P<module>hosp|icu|derived)")
ICU = {
    "caregiver",
    "chartevents",
    "d_items",
    "datetimeevents",
    "icustays",
    "ingredientevents",
    "inputevents",
    "outputevents",
    "procedureevents",
}


_VERSIONS = ("mimiciv", "mimiciv_3_1")


def module_of(table: str) -> str:
    """The module of MIMIC-IV that a table belongs to.

    >>> module_of("icustays")
    'icu'
    """
    if table == CHARLSON:
        return "derived"
    return "icu" if table in ICU else "hosp"


# A file with one of these is MIMIC-IV, with tables in datasets.
_SIGNS = frozenset({"patients", "admissions", "icustays", "labevents", "chartevents"})


def datasets_of(table: str, tables: Collection[str]) -> tuple[str, ...]:
    """The datasets in which BigQuery has a table; empty names of those of other layouts.

    The tables of a file in another layout have their bare names, as in a query's default dataset.

    Args:
        table: The table.
        tables: All tables of its file.

    >>> datasets_of("patients", ["patients"]), datasets_of("person", ["person"])
    (('mimiciv_hosp', 'mimiciv_3_1_hosp'), ('',))
    """
    if _SIGNS.isdisjoint(tables):
        return ("",)
    return tuple(f"{version}_{module_of(table)}" for version in _VERSIONS)


@dataclass(frozen=True)
class Names:
    """The tables of a file as BigQuery would name them.

    Attributes:
        tables: The names of each table's columns.
        overlay: The patient who is hidden, if one is.
    """

    tables: Mapping[str, tuple[str, ...]]
    overlay: Overlay | None = None

    def resolve(self, query: exp.Expr) -> None:
        """Replace every table of a query by the file's.

        Raises:
            QueryError: There is no such dataset or table, or a source is not a table.
        """
        for table in tables_read(query):
            name = self._file_table(table)
            derived = name == CHARLSON and CHARLSON not in self.tables
            put_source(table, charlson_query(self.source) if derived else self.source(name))

    def _file_table(self, node: exp.Table) -> str:
        """The file's table; a name without a dataset is looked up in all of them."""
        name, dataset, project = node.name, node.db, node.catalog
        if not dataset:
            if name in self.tables:
                return name
            raise QueryError(
                f'Table "{name}" must be qualified with a dataset (e.g. dataset.table).', "syntax"
            )
        module = _DATASET.fullmatch(dataset)
        if module is None or project not in ("", PROJECT):
            raise QueryError(
                f"Not found: Dataset {project or PROJECT}:{dataset} was not found in location US.",
                "syntax",
            )
        if self._module(name) != module["module"]:
            raise QueryError(
                f"Not found: Table {PROJECT}:{dataset}.{name} was not found in location US.",
                "syntax",
            )
        return name

    def _module(self, name: str) -> str:
        return module_of(name) if name == CHARLSON or name in self.tables else ""

    def source(self, name: str) -> exp.Expr:
        """The table itself, or its rows without the hidden patient's."""
        table = exp.Table(
            this=exp.to_identifier(name, quoted=True), db=exp.to_identifier("main", quoted=True)
        )
        return self.overlay.filtered(table, self.tables[name]) if self.overlay else table
