"""Typed checks of a query's text."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)
AgeConvention: TypeAlias = Literal["anchor", "admission"]
Start: TypeAlias = Literal["admission", "icu", "discharge"]


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
        statistic: mean, median, sd, min, max, sum, count, iqr, percentile, ntile, first or last
            (of a stay's measurements); "" for none.
        argument: The percentile (0 to 100), or the number of ntiles.
        unit: hours or days of a length, percent or fraction of a rate; "" if none is named.
        parts: hours if days are counted with their hours, as no difference of dates does.
        order: rising if ntiles begin with the lowest values, falling if with the highest.
        columns: Names of columns that it reads, where the requirement names them.
    """

    model_config = _CONFIG
    kind: Literal["measure"] = "measure"
    name: str = "value"
    statistic: str = ""
    argument: float | None = None
    unit: str = ""
    parts: Literal["", "hours"] = ""
    order: Literal["", "rising", "falling"] = ""
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
