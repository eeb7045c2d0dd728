"""Names of BigQuery's MIMIC-IV datasets and tables, resolved to a file's tables."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from wardround.ehr.database.googlesql.charlson import CHARLSON, charlson_query
from wardround.ehr.database.googlesql.overlay import Overlay
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
# Names of common table expressions get a prefix, so that none ever stands for a file's table.
_PREFIX = "_with_"


@dataclass(frozen=True)
class Names:
    """The tables of a file as BigQuery would name them.

    Attributes:
        tables: The names of each table's columns.
        overlay: The patient who is hidden, if one is.
    """

    tables: Mapping[str, tuple[str, ...]]
    overlay: Overlay | None = None

    def resolve(self, tree: exp.Expr) -> None:
        """Replace every table of a query by the file's, and what qualifies columns.

        Raises:
            QueryError: There is no such dataset or table, or a source is no table at all.
        """
        steps = {cte.alias.lower(): cte for cte in tree.find_all(exp.CTE)}
        for node in list(tree.find_all(exp.Table)):
            self._resolve_table(node, steps)
        for step in steps.values():
            _rename(step)
        for column in tree.find_all(exp.Column):
            if column.db and _DATASET.fullmatch(column.db):
                column.set("db", None)
                column.set("catalog", None)

    def _resolve_table(self, node: exp.Table, steps: Mapping[str, exp.CTE]) -> None:
        if not isinstance(node.this, exp.Identifier):
            raise QueryError(
                f"Table-valued function not found: {node.name or node.sql()}.", "syntax"
            )
        name = node.name
        if not node.alias:
            node.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        if not node.db and name.lower() in steps:
            node.set("this", exp.to_identifier(_PREFIX + name.lower(), quoted=True))
            return
        if (found := self._found(node)) == CHARLSON and CHARLSON not in self.tables:
            _put(node, charlson_query(self.source))
        else:
            _put(node, self.source(found))

    def _found(self, node: exp.Table) -> str:
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
        if name == CHARLSON:
            return "derived"
        if name not in self.tables:
            return ""
        return "icu" if name in ICU else "hosp"

    def source(self, name: str) -> exp.Expr:
        """The table itself, or its rows without the hidden patient's."""
        table = exp.Table(
            this=exp.to_identifier(name, quoted=True), db=exp.to_identifier("main", quoted=True)
        )
        return self.overlay.filtered(table, self.tables[name]) if self.overlay else table


Source = Callable[[str], exp.Expr]


def _put(node: exp.Table, source: exp.Expr) -> None:
    if isinstance(source, exp.Table):
        for part in ("this", "db", "catalog"):
            node.set(part, source.args.get(part))
        return
    query = source.this if isinstance(source, exp.Subquery) else source
    kept = {key: node.args.get(key) for key in ("joins", "pivots", "sample", "laterals")}
    alias = node.args["alias"]
    node.replace(exp.Subquery(this=query, alias=alias, **kept))


def _rename(step: exp.CTE) -> None:
    name = exp.to_identifier(_PREFIX + step.alias.lower(), quoted=True)
    step.args["alias"].set("this", name)
