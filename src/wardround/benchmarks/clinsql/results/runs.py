"""Reads submissions in the published form: a folder for each model, split and item.

`MODEL/SPLIT/SCENARIO/LEVEL/NUMBER` holds the last query, its result and a summary of the attempts,
in one of two forms. The copies of question and rubrics in it are ignored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.benchmarks.clinsql.items.item_folders import ItemFolder, item_folders
from wardround.benchmarks.clinsql.items.result_files import PLACEHOLDER, CsvTable, read_csv
from wardround.benchmarks.clinsql.tools import SUBMIT
from wardround.benchmarks.kit.published_files import parse_json, read_file
from wardround.core.errors import UserError
from wardround.core.task import Defect
from wardround.core.trajectory import Called, Event, Returned, Trajectory

SUMMARY = "execution_summary.json"
# Stands for a published query that is not at hand, or for one whose text was not published.
NO_QUERY = "-- the query is not published"
# Names of folders of items, which stand where those of submissions have the model's.
_ITEMS = ("splits", "benchmark", "data")


@dataclass(frozen=True, slots=True)
class PublishedAttempt:
    """An attempt as published; `sql` is "" where only the last query was published."""

    succeeded: bool
    error: str = ""
    rows: int = 0
    sql: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """A model's submission for an item.

    Attributes:
        item: the item's id.
        split: test or validation.
        sql: the last query.
        result: its result; the placeholder if it failed or gave no row.
        attempts: the attempts, in order.
    """

    item: str
    split: str
    sql: str
    result: CsvTable
    attempts: tuple[PublishedAttempt, ...]

    @property
    def gave_rows(self) -> bool:
        """True if the last attempt ran and gave a row."""
        return bool(self.attempts) and self.attempts[-1].succeeded and self.attempts[-1].rows > 0

    def trajectory(self) -> Trajectory:
        """The submission as events of a trial."""
        events: list[Event] = []
        for number, attempt in enumerate(self.attempts, start=1):
            is_last = number == len(self.attempts)
            sql = self.sql if is_last else attempt.sql or NO_QUERY
            text = f"{attempt.rows} rows" if attempt.succeeded else f"Error: {attempt.error}"
            events += [Called(SUBMIT, {"query": sql}), Returned(SUBMIT, text)]
        return Trajectory(events)


@dataclass(frozen=True, slots=True)
class ReadSubmissions:
    """Submissions by model and item, with the folders that cannot be read."""

    by_model: Mapping[str, Mapping[str, Submission]]
    defects: tuple[Defect, ...]


def read_submissions(source: Path) -> ReadSubmissions:
    """Reads all submissions below a folder.

    Raises:
        UserError: there is no such folder.
    """
    models: dict[str, dict[str, Submission]] = {}
    defects: list[Defect] = []
    for model, folder in submission_folders(source):
        items = models.setdefault(model, {})
        try:
            items[folder.id] = _submission(folder)
        except UserError as error:
            defects.append(Defect(f"{model}/{folder.id}", f"it cannot be read: {error}"))
    return ReadSubmissions({name: items for name, items in models.items() if items}, tuple(defects))


def submission_folders(source: Path) -> Iterator[tuple[str, ItemFolder]]:
    """The folders of submissions with the names of their models.

    Raises:
        UserError: there is no such folder.
    """
    for folder in item_folders(source):
        model = folder.path.parts[-5] if len(folder.path.parts) > 5 else ""
        if folder.split and model not in _ITEMS:
            yield model, folder


def attempts_name(number: str) -> str:
    """The name of the other form of summary.

    >>> attempts_name("040")
    'attempts_040.json'
    """
    return f"attempts_{number}.json"


def _submission(folder: ItemFolder) -> Submission:
    number = folder.number
    sql = read_file(folder.path / f"sql_{number}.sql").decode("utf-8-sig", "replace").strip()
    result = _result(folder.path / f"result_{number}.csv")
    attempts = _attempts(folder, result)
    return Submission(folder.id, folder.split, sql or NO_QUERY, result, attempts)


def _result(path: Path) -> CsvTable:
    """The result; a missing file stands for a query without a result, as the placeholder does."""
    if not path.is_file():
        return PLACEHOLDER
    return read_csv(path.read_bytes().decode("utf-8-sig", "replace"), path.name)


def _attempts(folder: ItemFolder, result: CsvTable) -> tuple[PublishedAttempt, ...]:
    summary, other = folder.path / SUMMARY, folder.path / attempts_name(folder.number)
    if summary.is_file():
        content = _object(summary)
        listed = _listed(content, "refinement_attempts", summary)
        last = content.get("execution_success"), content.get("final_error")
    elif other.is_file():
        content = _object(other)
        listed = _listed(content, "attempts", other)
        last = content.get("final_success"), None
    else:
        raise UserError(f"it has neither {SUMMARY} nor {other.name}")
    if not listed:
        rows = content.get("row_count", content.get("final_row_count"))
        listed = [{"success": last[0], "error": last[1], "row_count": rows}]
    return tuple(_attempt(attempt, result) for attempt in listed)


def _attempt(content: Mapping[str, Any], result: CsvTable) -> PublishedAttempt:
    succeeded = content.get("success") is True
    rows = content.get("row_count")
    if not isinstance(rows, int) or isinstance(rows, bool):
        rows = 0 if result.is_placeholder else len(result.rows)
    error = "" if succeeded else str(content.get("error") or "the query failed")
    return PublishedAttempt(succeeded, error, rows, str(content.get("sql") or ""))


def _object(path: Path) -> dict[str, Any]:
    content = parse_json(read_file(path), path.name)
    if not isinstance(content, dict):
        raise UserError(f"{path.name} is not a JSON object; fix the file.")
    return content


def _listed(content: Mapping[str, Any], name: str, path: Path) -> list[dict[str, Any]]:
    items = content.get(name) or []
    if not isinstance(items, list) or not all(isinstance(each, dict) for each in items):
        raise UserError(f"{path.name} has {name} that are not a list of objects; fix the file.")
    return items
