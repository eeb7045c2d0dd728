"""How each official release becomes its EHRSQL form: what the files in `forms/` say."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

from wardround.ehr.schema import Schema, Table, load_schema

_FORMS = files("wardround.ehr.ingest.preparation").joinpath("forms")


@dataclass(frozen=True)
class Charge:
    """What a price is for, and when it is charged: SQL over the table."""

    item: str
    time: str


@dataclass(frozen=True)
class Record:
    """How one table is made and prepared.

    Attributes:
        read: Columns needed of the official tables.
        select: The rows, as SQL over `source.<official table>` and tables made before.
        where: Which rows are read, as SQL over the official columns.
        whole: The rows belong to no patient, or are read before patients are chosen.
        happens: Times of a row; a row with one later than now is removed.
        ends: Times that are emptied when later than now, each with what is emptied with it.
        moves: Further times that shift with the patient.
        unit: The item's column and its unit's, if the table has units.
        shuffled: Columns whose values move together to another patient.
        keep: By step name, the condition that a row has to meet.
        path: A column of eICU's path names.
        charged: What is charged, if the table's rows cost anything.
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
        """Every column that shifts with the patient."""
        return (*self.happens, *self.ends, *self.moves)


@dataclass(frozen=True)
class Form:
    """How one release becomes its EHRSQL form.

    Attributes:
        release: Schema of the official release.
        schema: Schema of the result.
        person: The column that names a person.
        link: The column by which every patient's row is found.
        roster: The table that has `link` and `person` once per link.
        stays: The table of hospital stays.
        parents: Tables whose rows others cannot do without.
        people: SQL for person, youngest and oldest age at an admission.
        visits: SQL for every hospital stay: its person, when it began, since when it is on record
            (eICU's begin in the unit), and when it ended.
        charges: What to select charges from; `event` is the charged table.
        records: The tables in the order in which they are made.
        layout: The name of the layout that it makes.
        names: By table of the schema, the columns that this layout calls otherwise; one without a
            name is not there.
    """

    release: str
    schema: str
    person: str
    link: str
    roster: str
    stays: str
    parents: tuple[str, ...]
    people: str
    visits: str
    charges: str
    records: tuple[Record, ...]
    layout: str
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def official(self) -> Schema:
        """The definition of the release."""
        return load_schema(self.release)

    def prepared(self) -> Schema:
        """The definition of the result."""
        schema = load_schema(self.schema)
        tables = (_laid_out(table, self.names.get(table.name, {})) for table in schema.tables)
        return replace(schema, tables=tuple(tables))

    @property
    def first(self) -> tuple[Record, ...]:
        """The tables that choosing patients needs."""
        return tuple(record for record in self.records if record.name in {self.roster, self.stays})

    @property
    def rest(self) -> tuple[Record, ...]:
        """The tables read once patients are chosen."""
        return tuple(record for record in self.records if record not in self.first)


@cache
def forms() -> tuple[Form, ...]:
    """Every form that this package can make.

    >>> [(form.release, form.layout) for form in forms()]
    [('eicu', 'ehrsql_eicu'), ('mimic_iii', 'ehrsql_mimic_iii'),
     ('mimic_iv', 'ehrsql_mimic_iv_star'), ('mimic_iv', 'ehrsql_mimic_iv')]
    """
    names = sorted(entry.name.removesuffix(".toml") for entry in _FORMS.iterdir())
    return tuple(_form(_content(name)) for name in names)


def _content(name: str) -> dict[str, Any]:
    """What a file says, on top of what the file says that it is like."""
    content = tomllib.loads(_FORMS.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    if "like" not in content:
        return content
    basis = _content(content.pop("like"))
    return {**basis, **content, "tables": {**basis["tables"], **content["tables"]}}


def _form(content: dict[str, Any]) -> Form:
    tables = content.pop("tables").items()
    records = tuple(_record(name, entry) for name, entry in tables)
    return Form(**{**content, "parents": tuple(content["parents"])}, records=records)


def _laid_out(table: Table, names: Mapping[str, str]) -> Table:
    """A table with some columns called otherwise or, without a name, left out."""
    called = {column.name: names.get(column.name, column.name) for column in table.columns}
    return replace(
        table,
        columns=tuple(
            replace(column, name=called[column.name])
            for column in table.columns
            if called[column.name]
        ),
        foreign_keys=tuple(key for key in table.foreign_keys if called[key.column] == key.column),
    )


def _record(name: str, entry: dict[str, Any]) -> Record:
    columns = {table: tuple(text.split()) for table, text in entry.pop("read").items()}
    ends = {column: tuple(others) for column, others in entry.pop("ends", {}).items()}
    charged = Charge(**entry.pop("charged")) if "charged" in entry else None
    lists = {key: tuple(value) for key, value in entry.items() if isinstance(value, list)}
    return Record(name=name, **{**entry, **lists}, read=columns, ends=ends, charged=charged)
