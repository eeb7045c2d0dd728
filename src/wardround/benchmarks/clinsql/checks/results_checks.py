"""Typed checks of a query's result."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

_CONFIG = ConfigDict(frozen=True, extra="forbid", defer_build=True)


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


ResultsCheck: TypeAlias = (
    FileExists | ColumnExists | NotNull | InRange | WholeCount | Percentage | Ordered | Types
)
