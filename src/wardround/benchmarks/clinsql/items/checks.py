"""Typed checks of rubric leaves: of a query's result, of its text, and several as one."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from wardround.benchmarks.kit.checks import Check
from wardround.core.errors import UserError

AgeConvention: TypeAlias = Literal["anchor", "admission"]
Start: TypeAlias = Literal["admission", "icu", "discharge"]


class Column(BaseModel):
    """A column of a result: names that it may have, its meaning, its place in the gold."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    names: tuple[str, ...] = ()
    meaning: str = ""
    position: int | None = Field(None, ge=0)


# The model that reads leaves is shown the docstrings of the single checks (`check_coverage`).


class FileExists(Check):
    """The result has a row with a filled cell."""

    kind: Literal["file_exists"] = "file_exists"


class ColumnExists(Check):
    """The result has a column."""

    kind: Literal["column"] = "column"
    column: Column


class NotNull(Check):
    """No cell of a column, or of any column, is empty."""

    kind: Literal["not_null"] = "not_null"
    column: Column | None = None


class InRange(Check):
    """Every value of a column is a number within the bounds, which count as inside unless open."""

    kind: Literal["in_range"] = "in_range"
    column: Column
    low: float | None = None
    high: float | None = None
    low_open: bool = False
    high_open: bool = False
    band: Literal["plausible", "acceptable"] = "plausible"


class WholeCount(Check):
    """Every value of a column is a whole number, at least `least`."""

    kind: Literal["whole_count"] = "whole_count"
    column: Column
    least: int = 0


class Percentage(Check):
    """Every value of a column lies in 0 to 100, or in 0 to 1 where it is a fraction."""

    kind: Literal["percentage"] = "percentage"
    column: Column
    fraction: bool = False


class Ordered(Check):
    """In every row the columns' values rise or stay equal, in this order."""

    kind: Literal["ordered"] = "ordered"
    columns: tuple[Column, ...] = Field(min_length=2)


class Types(Check):
    """Every filled cell of a column, or of any column, has a type."""

    kind: Literal["types"] = "types"
    type: Literal["number", "integer", "text", "date"]
    column: Column | None = None


ResultsCheck: TypeAlias = (
    FileExists | ColumnExists | NotNull | InRange | WholeCount | Percentage | Ordered | Types
)


class Sex(Check):
    """The query keeps one sex."""

    kind: Literal["sex"] = "sex"
    value: Literal["F", "M"]


class Age(Check):
    """The query keeps ages within bounds, both included; any convention counts if None is named."""

    kind: Literal["age"] = "age"
    low: int | None = None
    high: int | None = None
    convention: AgeConvention | None = None


class Tables(Check):
    """The query reads all of these tables."""

    kind: Literal["tables"] = "tables"
    names: tuple[str, ...] = Field(min_length=1)


class Join(Check):
    """The query joins these tables on these keys; none named: on any."""

    kind: Literal["join"] = "join"
    tables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Codes(Check):
    """The query selects the rows of a table whose ICD code is LIKE one of the patterns."""

    kind: Literal["codes"] = "codes"
    table: str = "diagnoses_icd"
    version: Literal[9, 10] | None = None
    patterns: tuple[str, ...] = Field(min_length=1)


class Items(Check):
    """The query selects the rows of a table with these item ids."""

    kind: Literal["items"] = "items"
    table: str = ""
    ids: tuple[int, ...] = Field(min_length=1)


class Drugs(Check):
    """The query selects prescriptions whose drug is LIKE one of the patterns, in any case."""

    kind: Literal["drugs"] = "drugs"
    patterns: tuple[str, ...] = Field(min_length=1)


class Window(Check):
    """The query keeps events of so many hours after a start; before it if hours are negative."""

    kind: Literal["window"] = "window"
    start: Start | None = None
    hours: float


class Stay(Check):
    """The query keeps the first or last stay or admission of a patient."""

    kind: Literal["stay"] = "stay"
    which: Literal["first", "last"]
    of: Literal["icu", "admission"] | None = None


class Survival(Check):
    """The query keeps those who died, or those who survived."""

    kind: Literal["survival"] = "survival"
    died: bool


class Measure(Check):
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

    kind: Literal["measure"] = "measure"
    name: str = "value"
    statistic: str = ""
    argument: float | None = None
    unit: str = ""
    parts: Literal["", "hours"] = ""
    order: Literal["", "rising", "falling"] = ""
    columns: tuple[str, ...] = ()


class GroupBy(Check):
    """The query groups by these columns."""

    kind: Literal["group_by"] = "group_by"
    columns: tuple[str, ...] = Field(min_length=1)


class Rounding(Check):
    """The query rounds a column of its result, or any, to so many places."""

    kind: Literal["rounding"] = "rounding"
    digits: int
    column: str = ""


class Distinct(Check):
    """The query counts or selects distinct values of a column."""

    kind: Literal["distinct"] = "distinct"
    column: str


class ExcludesNull(Check):
    """The query leaves out rows in which a column is NULL."""

    kind: Literal["excludes_null"] = "excludes_null"
    column: str


class ValueBounds(Check):
    """The query keeps values of a column within bounds, as plausible ones."""

    kind: Literal["value_bounds"] = "value_bounds"
    column: str = ""
    low: float | None = None
    high: float | None = None


class Cohort(Check):
    """The query's cohort is the gold's."""

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


class AllOf(Check):
    """All of several checks hold."""

    kind: Literal["all_of"] = "all_of"
    checks: tuple["LeafCheck", ...] = Field(min_length=2)

    def stored(self) -> dict[str, Any]:
        """The checks as JSON data."""
        return {"kind": self.kind, "checks": [check.stored() for check in self.checks]}


LeafCheck: TypeAlias = Annotated[ResultsCheck | SqlCheck | AllOf, Field(discriminator="kind")]
AllOf.model_rebuild()
_CHECKS: TypeAdapter[LeafCheck] = TypeAdapter(LeafCheck)


def read_check(content: Any, where: str) -> LeafCheck:
    """A stored check.

    Raises:
        UserError: it has no known form.

    >>> read_check({"kind": "sex", "value": "F"}, "item.json")
    Sex(kind='sex', value='F')
    """
    try:
        return _CHECKS.validate_python(content)
    except ValidationError as error:
        reason = error.errors()[0]["msg"]
        raise UserError(f"{where} holds a check of no known form ({reason}); fix it.") from None


def single_checks(check: LeafCheck) -> tuple[ResultsCheck | SqlCheck, ...]:
    """The single checks of a check."""
    if not isinstance(check, AllOf):
        return (check,)
    return tuple(single for part in check.checks for single in single_checks(part))
