"""People's verdicts on the leaves of models' submissions, each blind to all others (K)."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import orjson

from wardround.annotation.clinsql import rules
from wardround.annotation.clinsql.item_changes import find_folder, record_of
from wardround.annotation.clinsql.item_files import folders, read_result, read_texts
from wardround.annotation.clinsql.item_views import result_view
from wardround.annotation.views import LeafToJudge, SubmissionLine, SubmissionView
from wardround.benchmarks.clinsql.published.item_folders import ItemFolder
from wardround.benchmarks.clinsql.published.runs import submission_folders
from wardround.benchmarks.clinsql.tasks import TREES, leaf_item
from wardround.core.errors import UserError
from wardround.core.private_files import open_private

FILE = "leaf_verdicts.jsonl"


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
        judged = self._own(person)
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
        record, own = record_of(find_folder(self._source, item)), self._own(person)
        leaves = tuple(
            LeafToJudge(name, sentence, own.get((submission.model, item, name)))
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
        own = {leaf.item: leaf.passed for leaf in before.leaves}
        if not verdicts.keys() <= own.keys():
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
            if own[leaf] is not passed
        ]
        with self._writing, open_private(self._source / FILE, "ab") as file:
            file.write(b"".join(orjson.dumps(line) + b"\n" for line in lines))

    def _find(self, key: str) -> _Submission:
        if key not in self._submissions:
            raise UserError("There is no such submission.")
        return self._submissions[key]

    def _own(self, person: str) -> dict[tuple[str, str, str], bool]:
        """A person's own verdicts by model, item and leaf."""
        path = self._source / FILE
        lines = path.read_bytes().splitlines() if path.exists() else []
        found = (orjson.loads(line) for line in lines if line.strip())
        return {
            (each["model"], each["task"], each["item"]): each["passed"]
            for each in found
            if each["person"] == person
        }


def _leaves(rubrics: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for tree in TREES:
        root = rules.parse_rubric(rubrics[f"{tree}_rubric"]).root
        yield from ((leaf_item(tree, leaf.id), leaf.requirement) for leaf in root.leaves())
