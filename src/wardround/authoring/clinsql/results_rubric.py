"""The rubric of a result: its format, then a plausible and an acceptable range for each column."""

from collections.abc import Iterator

from wardround.authoring.clinsql.leaves import Group, Leaf
from wardround.authoring.clinsql.specification import QuestionSpec
from wardround.benchmarks.clinsql.items.checks import (
    Column,
    ColumnExists,
    FileExists,
    InRange,
    NotNull,
    Types,
)
from wardround.benchmarks.clinsql.items.result_files import CsvTable

# The largest accepted distance from the gold's value.
_TOLERANCE = 0.1
_LEAST = 1.0
_TEXTS = ("discharge_location",)
_LONGEST_DAYS = 1000
_HIGHEST_INDEX = 37


def results_rubric(spec: QuestionSpec, gold: CsvTable) -> Group:
    """The tree; its acceptable ranges surround the gold's values."""
    columns: list[Leaf | Group] = [
        Leaf(
            f"{_hyphened(name)}-column",
            f"A column of the {_words(name)} exists (like `{name}`).",
            ColumnExists(column=_column(gold, name)),
        )
        for name in gold.columns
    ]
    rows = "The result has a row of values."
    filled = "No cell of the result is NULL or empty."
    form: list[Leaf | Group] = [
        Leaf("csv-file-exists", f"The result file exists. {rows}", FileExists()),
        Group("column-name-exists", "The columns", columns),
        Leaf("no-null-empty-values", filled, NotNull()),
    ]
    values: list[Leaf | Group] = [_values(spec, gold, name) for name in gold.columns]
    groups = [
        Group("output-format-validation", "The result's form", form, 1, sequential=True),
        Group("output-feature-validation", "The result's values", values, 2),
    ]
    return Group("results-validation-root", "Validation of the result", groups)


def acceptable(spec: QuestionSpec, gold: CsvTable, name: str) -> tuple[float, float]:
    """The range around the gold's values of a column, within what is plausible."""
    values = column_values(gold, name)
    low, high = plausible(spec, name)
    if name in ("quartile", "top_quarter"):
        return low, high
    below = min(values) - max(_LEAST, _TOLERANCE * abs(min(values)))
    above = max(values) + max(_LEAST, _TOLERANCE * abs(max(values)))
    return round(max(low, below), 2), round(min(high, above), 2)


def plausible(spec: QuestionSpec, name: str) -> tuple[float, float]:
    """The range of values of a column that a clinician would believe."""
    fixed = {"quartile": (1.0, 4.0), "top_quarter": (0.0, 1.0)}
    if name in fixed:
        return fixed[name]
    if name in ("patient_count", "stay_count"):
        return 1, 400_000
    if name.endswith("_percent"):
        return 0, 100
    if name.endswith("_count") and spec.summary in ("burden", "outcome"):
        return 0, 400_000
    if name.endswith("charlson_index"):
        return 0, _HIGHEST_INDEX
    if name.endswith(("length_of_stay", "_days", "_count")) or spec.concept is None:
        return 0, _LONGEST_DAYS
    return spec.concept.plausible


def column_values(table: CsvTable, name: str) -> list[float]:
    """The numbers of a column."""
    index = table.columns.index(name)
    return [float(cell) for row in table.rows if (cell := row[index]) is not None]


def numeric_columns(gold: CsvTable) -> list[str]:
    """The columns that hold numbers."""
    return [name for name in gold.columns if name not in _TEXTS]


def _values(spec: QuestionSpec, gold: CsvTable, name: str) -> Leaf | Group:
    if name in numeric_columns(gold):
        return _ranges(spec, gold, name)
    text = f"The {_words(name)} is text as recorded, not a number."
    return Leaf(f"{_hyphened(name)}-text", text, Types(type="text", column=_column(gold, name)))


def _ranges(spec: QuestionSpec, gold: CsvTable, name: str) -> Group:
    leaves = list(_range_leaves(spec, gold, name))
    return Group(f"{_hyphened(name)}-values", f"The {_words(name)}", leaves, 1, sequential=True)


def _range_leaves(spec: QuestionSpec, gold: CsvTable, name: str) -> Iterator[Leaf]:
    column = _column(gold, name)
    low, high = plausible(spec, name)
    text = f"Clinically Plausible: the {_words(name)} is a number from {low:g} to {high:g}."
    check = InRange(column=column, low=low, high=high)
    yield Leaf(f"{_hyphened(name)}-plausible", text, check)
    low, high = acceptable(spec, gold, name)
    text = f"Acceptable Range: the {_words(name)} lies between {low:g} and {high:g}."
    check = InRange(column=column, low=low, high=high, band="acceptable")
    yield Leaf(f"{_hyphened(name)}-acceptable", text, check)


def _column(gold: CsvTable, name: str) -> Column:
    return Column(names=(name,), meaning=_words(name), position=gold.columns.index(name))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _hyphened(name: str) -> str:
    return name.replace("_", "-")
