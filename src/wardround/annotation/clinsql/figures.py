"""Figures of an annotation and of its studies: second annotators (L), people as judges (K)."""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from wardround.annotation.clinsql import rules
from wardround.annotation.clinsql.double_annotation import (
    Agreement,
    LeafClass,
    agree_on_critical,
    kappa,
    leaf_pairs,
    raw_agreement,
    result_agreement,
)
from wardround.annotation.clinsql.events import Event, append_event, read_events
from wardround.annotation.clinsql.item_changes import find_folder, record_of
from wardround.annotation.clinsql.item_files import (
    folders,
    read_result,
    read_texts,
    write_field,
)
from wardround.annotation.clinsql.item_views import result_view
from wardround.annotation.clinsql.record import VALIDATED, Record
from wardround.annotation.clinsql.words import VALIDATION
from wardround.annotation.views import LeafToJudge, SubmissionLine, SubmissionView, TableView
from wardround.benchmarks.clinsql.items.item import TREES, leaf_item
from wardround.benchmarks.clinsql.items.item_folders import ItemFolder, item_folder
from wardround.benchmarks.clinsql.items.result_files import CsvTable, read_csv
from wardround.benchmarks.clinsql.results.runs import submission_folders
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private
from wardround.scoring.rubrics.tree import RubricNode

_VERDICTS = "leaf_verdicts.jsonl"


@dataclass(frozen=True, slots=True)
class _Submission:
    """A submission: its folder, and the model that made it."""

    folder: ItemFolder
    model: str


class LeafVerdicts:
    """Verdicts of people, appended to a file that `wardround agreement --human` reads.

    Args:
        source: The folder of items, whose rubrics count; the file is in it.
        submissions: A folder of submissions in the published form.

    Raises:
        UserError: There is no such folder, or no submission in it.
    """

    def __init__(self, source: Path, submissions: Path) -> None:
        self._source = source
        self._writing = threading.Lock()
        self._submissions = {
            str(number): _Submission(folder, model)
            for number, (model, folder) in enumerate(submission_folders(submissions), start=1)
        }
        if not self._submissions:
            raise UserError(
                f"{submissions} holds no submission; name a folder of "
                "MODEL/SPLIT/SCENARIO/LEVEL/NUMBER."
            )

    def lines(self, person: str) -> list[SubmissionLine]:
        """All submissions; models are not named."""
        judged = self._verdicts(person)
        known = {folder.id for folder in folders(self._source)}
        return [
            SubmissionLine(
                key, each.folder.id, sum(p[:2] == (each.model, each.folder.id) for p in judged)
            )
            for key, each in self._submissions.items()
            if each.folder.id in known
        ]

    def view(self, key: str, person: str) -> SubmissionView:
        """A submission with the leaves of its item's rubrics, and the person's own verdicts.

        Raises:
            UserError: There is no such submission.
        """
        submission = self._find(key)
        item = submission.folder.id
        record, judged = record_of(find_folder(self._source, item)), self._verdicts(person)
        leaves = tuple(
            LeafToJudge(name, sentence, judged.get((submission.model, item, name)))
            for name, sentence in _leaves({n: record.field(n).text for n in rules.RUBRICS})
        )
        texts = read_texts(submission.folder)
        result = result_view("Result", read_result(submission.folder))
        return SubmissionView(
            key, item, record.field("question").text, texts["sql"], result, leaves
        )

    def judge(self, key: str, verdicts: Mapping[str, bool], person: str, at: str) -> None:
        """Adds verdicts; the last one on a leaf counts.

        Raises:
            UserError: There is no such submission or leaf.
        """
        submission, before = self._find(key), self.view(key, person)
        judged = {leaf.item: leaf.passed for leaf in before.leaves}
        if not verdicts.keys() <= judged.keys():
            raise UserError("The rubric has changed; load the page again.")
        lines = [
            {
                "task": before.item,
                "item": leaf,
                "passed": passed,
                "person": person,
                "model": submission.model,
                "at": at,
            }
            for leaf, passed in verdicts.items()
            if judged[leaf] is not passed
        ]
        with self._writing, open_private(self._source / _VERDICTS, "ab") as file:
            file.write(b"".join(orjson.dumps(line) + b"\n" for line in lines))

    def _find(self, key: str) -> _Submission:
        if key not in self._submissions:
            raise UserError("There is no such submission.")
        return self._submissions[key]

    def _verdicts(self, person: str) -> dict[tuple[str, str, str], bool]:
        """A person's own verdicts by model, item and leaf."""
        path = self._source / _VERDICTS
        lines = path.read_bytes().splitlines() if path.exists() else []
        stored = (orjson.loads(line) for line in lines if line.strip())
        return {
            (each["model"], each["task"], each["item"]): each["passed"]
            for each in stored
            if each["person"] == person
        }


def _leaves(rubrics: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for tree in TREES:
        root = rules.parse_rubric(rubrics[f"{tree}_rubric"]).root
        yield from ((leaf_item(tree, leaf.id), leaf.requirement) for leaf in root.leaves())


_RESULTS: dict[Agreement, str] = {
    "identical": "Same result",
    "near": "Near miss (numbers within 1%)",
    "distinct": "Another result",
}


def outcome_table(source: Path) -> TableView:
    """Outcomes of validation, the last decision on each item."""
    counts: Counter[str] = Counter()
    for folder in folders(source):
        decisions = [event for event in read_events(folder.path) if event.kind == "decided"]
        counts.update(str(event.values.get("outcome")) for event in decisions[-1:])
    total = counts.total()
    groups = {
        "Accepted as it is": counts["as-is"],
        "Accepted after small changes": counts["minor"],
        "Major revision or rejected": counts["major"] + counts["reject"],
    }
    rows = [(name, count, _share(count, total)) for name, count in groups.items()]
    return TableView("Validation (Table 14)", ("outcome", "items", "share"), rows)


def draw_second(source: Path, second: Path, count: int, now: Callable[[], str]) -> int:
    """Copies the questions of validated items, drawn at random, for second annotators.

    A copy has question and anchor patient only, and refuses everybody who worked on the item.

    Returns:
        Number of items copied; existing copies are kept.

    Raises:
        UserError: No item is validated.
    """
    validated = [f for f in folders(source) if record_of(f).state == VALIDATED]
    if not validated:
        raise UserError("No item is validated yet; second annotation needs validated items.")
    drawn = random.Random(0).sample(validated, min(count, len(validated)))
    return sum(_copy_question(source, folder, second, now) for folder in drawn)


def agreement_table(source: Path, second: Path) -> TableView:
    """Agreement on items whose second annotation went through all steps but the validator's."""
    pairs = list(_pairs(source, second))
    results = Counter(result_agreement(_csv(first), _csv(other)) for first, other in pairs)
    by_item = [_leaf_pairs(first, other) for first, other in pairs]
    leaves = [pair for item in by_item for pair in item]
    rows = [
        (title, results[name], _share(results[name], len(pairs)))
        for name, title in _RESULTS.items()
    ]
    agreed = sum(map(agree_on_critical, by_item))
    rows += [
        ("Leaves: presence and criticality", len(leaves), _percent(raw_agreement(leaves))),
        ("Leaves: Cohen's kappa", len(leaves), _kappa_text(leaves)),
        ("Rubrics: pass/fail", agreed, _share(agreed, len(pairs))),
    ]
    note = (
        f"{len(pairs)} items were annotated twice. Two rubrics agree on passing if the same leaves "
        "are critical in both."
    )
    return TableView("Second annotation (Table 14)", ("figure", "count", "share"), rows, note)


def _leaf_pairs(first: ItemFolder, second: ItemFolder) -> list[tuple[LeafClass, LeafClass]]:
    """The classes of the leaves of both rubrics for two annotators."""
    return [
        pair
        for name in rules.RUBRICS
        for pair in leaf_pairs(_root(first, name), _root(second, name))
    ]


def _pairs(source: Path, second: Path) -> Iterator[tuple[ItemFolder, ItemFolder]]:
    firsts = {folder.id: folder for folder in folders(source)}
    for other in folders(second) if second.is_dir() else ():
        if other.id in firsts and record_of(other).state in (VALIDATION, VALIDATED):
            yield firsts[other.id], other


def _copy_question(source: Path, folder: ItemFolder, second: Path, now: Callable[[], str]) -> bool:
    path = second / folder.path.relative_to(source)
    if path.exists():
        return False
    make_folder(path)
    copy, record = item_folder(path), record_of(folder)
    if copy is None:
        return False
    for field in ("question", "anchor"):
        write_field(copy, field, record.field(field).text)
    barred = {"barred": sorted(_workers(record))}
    append_event(path, Event(kind="began", by="files", at=now(), field="sql", values=barred))
    return True


def _workers(record: Record) -> set[str]:
    return record.writers | set(record.people.values())


def _csv(folder: ItemFolder) -> CsvTable:
    return read_csv(read_result(folder), f"The stored result of {folder.id}")


def _root(folder: ItemFolder, name: str) -> RubricNode:
    return rules.parse_rubric(record_of(folder).field(name).text).root


def _share(count: int, total: int) -> str:
    return _percent(count / total if total else None)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def _kappa_text(pairs: Sequence[tuple[str, str]]) -> str:
    value = kappa(pairs)
    return "-" if value is None else f"{value:.2f}"


class Studies:
    """Studies of the items in a folder; see `wardround.annotation.store.AnnotationStudies`.

    Args:
        source: The folder of items.
        second: The folder of items that second annotators repeat.
        submissions: A folder of models' submissions whose leaves people judge.
        now: Returns the time as text.
    """

    def __init__(
        self,
        source: Path,
        second: Path | None,
        submissions: Path | None,
        now: Callable[[], str],
    ) -> None:
        self._source = source
        self._second = second
        self._verdicts = LeafVerdicts(source, submissions) if submissions else None
        self._now = now

    def figures(self) -> list[TableView]:
        """Outcomes of validation, and the agreement of second annotators."""
        second = [agreement_table(self._source, self._second)] if self._second else []
        return [outcome_table(self._source), *second]

    def draw_second(self, count: int) -> int:
        """Copies questions of validated items for second annotators; their number."""
        if self._second is None:
            raise UserError("There is no folder for them; start the page with --second FOLDER.")
        return draw_second(self._source, self._second, count, self._now)

    def submissions(self, person: str) -> list[SubmissionLine]:
        """The submissions to judge; empty without any."""
        return self._verdicts.lines(person) if self._verdicts else []

    def submission(self, key: str, person: str) -> SubmissionView:
        """A submission to judge."""
        return self._required().view(key, person)

    def judge(self, key: str, verdicts: Mapping[str, bool], person: str) -> None:
        """Records a person's verdicts on leaves."""
        self._required().judge(key, verdicts, person, self._now())

    def _required(self) -> LeafVerdicts:
        if self._verdicts is None:
            raise UserError("There are no submissions; start the page with --submissions FOLDER.")
        return self._verdicts
