"""Recipes for preparing each official release, read from the files in `recipes/`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from wardround.ehr.schema import Schema, Table, load_schema

# Lee et al. 2022, 3.2.
NOW = datetime(2105, 12, 31, 23, 59)

_RECIPES = files("wardround.ehr.ingest.preparation").joinpath("recipes")


@dataclass(frozen=True)
class Charge:
    """The charged item and the time of the charge, as SQL over the table."""

    item: str
    time: str


@dataclass(frozen=True)
class TableSpec:
    """The creation and preparation of one table.

    Attributes:
        read: Required columns by official table.
        select: The rows, as SQL over `source.<official table>` and previously created tables.
        where: The rows to read, as SQL over the official columns.
        whole: True if rows have no patient, or are read before patients are sampled.
        happens: Event times; rows with one after the current time are removed.
        ends: End times that are cleared if after the current time, with columns to clear along.
        moves: Other times that shift with the patient.
        unit: The columns of item and unit, if the table has units.
        shuffled: Columns whose values move together to another patient.
        keep: Row conditions by step name.
        path: A column of eICU path names.
        charged: The charge of each row, if any.
    """

    name: str
    read: Mapping[str, tuple[str, ...]]
    select: str
    where: str = "true"
    whole: bool = False
    happens: tuple[str, ...] = ()
    ends: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    unit: tuple[str, ...] = ()
    shuffled: tuple[str, ...] = ()
    keep: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    charged: Charge | None = None

    @property
    def times(self) -> tuple[str, ...]:
        """All columns that shift with the patient."""
        return (*self.happens, *self.ends, *self.moves)


@dataclass(frozen=True)
class Recipe:
    """The preparation of one release.

    Attributes:
        release: Schema of the official release.
        schema: Schema of the result.
        person: The column that identifies a person.
        link: The column that links every row to a patient.
        roster: The table with `link` and `person` once for each link.
        stays: The table of hospital stays.
        parents: Tables whose rows other tables require.
        people: SQL for person, youngest and oldest age at an admission.
        visits: SQL for every hospital stay: person, start, start of recorded data (eICU's begins
            in the unit), and end.
        charges: The FROM clause of charges; `event` is the charged table.
        specs: The tables in order of creation.
        layout: Name of the layout that the recipe makes.
        now: The current time of the questions on it.
        names: Renamed columns by schema table; "" omits a column.
    """

    release: str
    schema: str
    layout: str
    person: str
    link: str
    roster: str
    stays: str
    parents: tuple[str, ...]
    people: str
    visits: str
    charges: str
    specs: tuple[TableSpec, ...]
    now: datetime = NOW
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def official(self) -> Schema:
        """The definition of the release."""
        return load_schema(self.release)

    @cached_property
    def prepared(self) -> Schema:
        """The definition of the result."""
        schema = load_schema(self.schema)
        tables = (_renamed_table(table, self.names.get(table.name, {})) for table in schema.tables)
        return replace(schema, tables=tuple(tables))

    @property
    def first(self) -> tuple[TableSpec, ...]:
        """The tables required for sampling patients."""
        return tuple(spec for spec in self.specs if spec.name in {self.roster, self.stays})

    @property
    def rest(self) -> tuple[TableSpec, ...]:
        """The tables read after sampling patients."""
        return tuple(spec for spec in self.specs if spec not in self.first)


@cache
def recipes() -> tuple[Recipe, ...]:
    """All packaged recipes.

    >>> [recipe.layout for recipe in recipes()]
    ['ehrsql_eicu', 'ehrsql_mimic_iii', 'ehrsql_mimic_iv_star', 'ehrsql_mimic_iv']
    """
    names = sorted(entry.name.removesuffix(".toml") for entry in _RECIPES.iterdir())
    return tuple(_recipe(_content(name)) for name in names)


def _content(name: str) -> dict[str, Any]:
    """The content of a recipe file, merged into the one it inherits from (`like`)."""
    content = tomllib.loads(_RECIPES.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    if "like" not in content:
        return content
    base = _content(content.pop("like"))
    return {**base, **content, "tables": {**base["tables"], **content["tables"]}}


def _recipe(content: dict[str, Any]) -> Recipe:
    tables = content.pop("tables").items()
    specs = tuple(_spec(name, entry) for name, entry in tables)
    return Recipe(**{**content, "parents": tuple(content["parents"])}, specs=specs)


def _renamed_table(table: Table, names: Mapping[str, str]) -> Table:
    """The table with some columns renamed or, if the name is empty, omitted."""
    new_names = {column.name: names.get(column.name, column.name) for column in table.columns}
    return replace(
        table,
        columns=tuple(
            replace(column, name=new_names[column.name])
            for column in table.columns
            if new_names[column.name]
        ),
        foreign_keys=tuple(k for k in table.foreign_keys if new_names[k.column] == k.column),
    )


def _spec(name: str, entry: dict[str, Any]) -> TableSpec:
    columns = {table: tuple(text.split()) for table, text in entry.pop("read").items()}
    ends = {column: tuple(cleared) for column, cleared in entry.pop("ends", {}).items()}
    charged = Charge(**entry.pop("charged")) if "charged" in entry else None
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    return TableSpec(name=name, **{**entry, **lists}, read=columns, ends=ends, charged=charged)
