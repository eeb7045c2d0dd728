"""Typed checks of rubric leaves, as they are stored beside an item, and what comes of one."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wardround.core.errors import UserError
from wardround.core.verdict import State

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)
AgeConvention: TypeAlias = Literal["anchor", "admission"]
Start: TypeAlias = Literal["admission", "icu", "discharge"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check decides, and why."""

    state: State
    reason: str = ""


class Column(BaseModel):
    """A column of a result: names that it may have, its meaning, its place in the gold."""

    model_config = _CONFIG
    names: tuple[str, ...] = ()
    meaning: str = ""
    position: int | None = Field(None, ge=0)


class FileExists(BaseModel):
    """The result has a row with a filled cell."""

    model_config = _CONFIG
    kind: Literal["file_exists"] = "file_exists"


class ColumnExists(BaseModel):
    """The result has a column."""

    model_config = _CONFIG
    kind: Literal["column"] = "column"
    column: Column


class NotNull(BaseModel):
    """No cell of a column, or of any column, is empty."""

    model_config = _CONFIG
    kind: Literal["not_null"] = "not_null"
    column: Column | None = None


class InRange(BaseModel):
    """Every value of a column is a number within the bounds, which count as inside unless open."""

    model_config = _CONFIG
    kind: Literal["in_range"] = "in_range"
    column: Column
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    band: Literal["plausible", "acceptable"] = "plausible"


class WholeCount(BaseModel):
    """Every value of a column is a whole number, at least `least`."""

    model_config = _CONFIG
    kind: Literal["whole_count"] = "whole_count"
    column: Column
    least: int = 0


class Percentage(BaseModel):
    """Every value of a column lies in 0 to 100, or in 0 to 1 where it is a fraction."""

    model_config = _CONFIG
    kind: Literal["percentage"] = "percentage"
    column: Column
    fraction: bool = False


class Ordered(BaseModel):
    """In every row the columns' values rise or stay equal, in this order."""

    model_config = _CONFIG
    kind: Literal["ordered"] = "ordered"
    columns: tuple[Column, ...] = Field(min_length=2)


class Types(BaseModel):
    """Every filled cell of a column, or of any column, is of a type."""

    model_config = _CONFIG
    kind: Literal["types"] = "types"
    type: Literal["number", "integer", "text", "date"]
    column: Column | None = None


class Sex(BaseModel):
    """The query keeps one sex."""

    model_config = _CONFIG
    kind: Literal["sex"] = "sex"
    value: Literal["F", "M"]


class Age(BaseModel):
    """The query keeps ages within bounds, both included; any convention counts if None is named."""

    model_config = _CONFIG
    kind: Literal["age"] = "age"
    low: int | None = None
    high: int | None = None
    convention: AgeConvention | None = None


class Tables(BaseModel):
    """The query reads all of these tables."""

    model_config = _CONFIG
    kind: Literal["tables"] = "tables"
    names: tuple[str, ...] = Field(min_length=1)


class Join(BaseModel):
    """The query joins these tables on these keys; none named: on any."""

    model_config = _CONFIG
    kind: Literal["join"] = "join"
    tables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Codes(BaseModel):
    """The query selects the rows of a table whose ICD code is LIKE one of the patterns."""

    model_config = _CONFIG
    kind: Literal["codes"] = "codes"
    table: str = "diagnoses_icd"
    version: Literal[9, 10] | None = None
    patterns: tuple[str, ...] = Field(min_length=1)


class Items(BaseModel):
    """The query selects the rows of a table with these item ids."""

    model_config = _CONFIG
    kind: Literal["items"] = "items"
    table: str = ""
    ids: tuple[int, ...] = Field(min_length=1)


class Drugs(BaseModel):
    """The query selects prescriptions whose drug is LIKE one of the patterns, in any case."""

    model_config = _CONFIG
    kind: Literal["drugs"] = "drugs"
    patterns: tuple[str, ...] = Field(min_length=1)


class Window(BaseModel):
    """The query keeps events of so many hours after a start; before it if hours are negative."""

    model_config = _CONFIG
    kind: Literal["window"] = "window"
    start: Start | None = None
    hours: float


class Stay(BaseModel):
    """The query keeps the first or last stay or admission of a patient."""

    model_config = _CONFIG
    kind: Literal["stay"] = "stay"
    which: Literal["first", "last"]
    of: Literal["icu", "admission"] | None = None


class Survival(BaseModel):
    """The query keeps those who died, or those who survived."""

    model_config = _CONFIG
    kind: Literal["survival"] = "survival"
    died: bool


class Measure(BaseModel):
    """The query computes a measure.

    Attributes:
        name: length_of_stay, duration, count, rate, score, rank, change or value.
        statistic: mean, median, sd, min, max, sum, count, iqr, percentile or ntile; "" for none.
        argument: The percentile (0 to 100), or the number of ntiles.
        unit: hours or days; "" if none is named.
        columns: Names of columns that it reads, where the requirement names them.
    """

    model_config = _CONFIG
    kind: Literal["measure"] = "measure"
    name: str = "value"
    statistic: str = ""
    argument: float | None = None
    unit: str = ""
    columns: tuple[str, ...] = ()


class GroupBy(BaseModel):
    """The query groups by these columns."""

    model_config = _CONFIG
    kind: Literal["group_by"] = "group_by"
    columns: tuple[str, ...] = Field(min_length=1)


class Rounding(BaseModel):
    """The query rounds a column of its result, or any, to so many places."""

    model_config = _CONFIG
    kind: Literal["rounding"] = "rounding"
    digits: int
    column: str = ""


class Distinct(BaseModel):
    """The query counts or selects distinct values of a column."""

    model_config = _CONFIG
    kind: Literal["distinct"] = "distinct"
    column: str


class ExcludesNull(BaseModel):
    """The query leaves out rows in which a column is NULL."""

    model_config = _CONFIG
    kind: Literal["excludes_null"] = "excludes_null"
    column: str


class ValueBounds(BaseModel):
    """The query keeps values of a column within bounds, as plausible ones."""

    model_config = _CONFIG
    kind: Literal["value_bounds"] = "value_bounds"
    column: str = ""
    low: float | None = None
    high: float | None = None


class Cohort(BaseModel):
    """The query's cohort is the gold's."""

    model_config = _CONFIG
    kind: Literal["cohort"] = "cohort"


class AllOf(BaseModel):
    """All of several checks hold."""

    model_config = _CONFIG
    kind: Literal["all_of"] = "all_of"
    checks: tuple["LeafCheck", ...] = Field(min_length=2)


ResultsCheck: TypeAlias = (
    FileExists | ColumnExists | NotNull | InRange | WholeCount | Percentage | Ordered | Types
)
SqlCheck: TypeAlias = (
    Sex
    | Age
    | Tables
    | Join
    | Codes
    | Items
    | Drugs
    | Window
    | Stay
    | Survival
    | Measure
    | GroupBy
    | Rounding
    | Distinct
    | ExcludesNull
    | ValueBounds
    | Cohort
)
LeafCheck: TypeAlias = Annotated[ResultsCheck | SqlCheck | AllOf, Field(discriminator="kind")]
AllOf.model_rebuild()
_CHECKS: TypeAdapter[LeafCheck] = TypeAdapter(LeafCheck)


def read_check(content: Any, where: str) -> LeafCheck:
    """A stored check.

    Raises:
        UserError: It has no known form.

    >>> read_check({"kind": "sex", "value": "F"}, "item.json")
    Sex(kind='sex', value='F')
    """
    try:
        return _CHECKS.validate_python(content)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UserError(f"{where} holds a check of no known form ({reason}); fix it.") from None


def stored_check(check: LeafCheck) -> dict[str, Any]:
    """A check as JSON data, without what has its default.

    >>> stored_check(InRange(column=Column(names=("n",)), low=1, high=9))
    {'kind': 'in_range', 'column': {'names': ['n']}, 'low': 1.0, 'high': 9.0}
    """
    if isinstance(check, AllOf):
        return {"kind": check.kind, "checks": [stored_check(part) for part in check.checks]}
    return {"kind": check.kind, **check.model_dump(mode="json", exclude_defaults=True)}
