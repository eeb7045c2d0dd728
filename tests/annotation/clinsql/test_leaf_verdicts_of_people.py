"""People's verdicts on submissions: blind, and in a file that agreement reads."""

import json
from pathlib import Path

import orjson
import pytest

from tests.annotation.clinsql.conftest import ITEM, counting
from tests.apps.commands import Cli
from tests.benchmarks.clinsql.item_samples import LEAVES, write_item
from tests.benchmarks.clinsql.results.samples import sample, write_grades, write_submission
from wardround.annotation.clinsql.store import ItemStore, open_store
from wardround.core.errors import UserError


@pytest.fixture
def judging(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> ItemStore:
    submissions = tmp_path_factory.mktemp("inference")
    for model in ("alpha", "beta"):
        write_item(submissions / model / "test", sql=f"SELECT 1 -- {len(model)}")
    return open_store(folder, None, counting(), submissions=submissions)


def test_verdicts_are_blind_to_models_and_people(judging: ItemStore) -> None:
    judging.studies.judge("1", {"sql:sex": True, "sql:age": False}, "Ada")
    assert [line.judged for line in judging.studies.submissions("Ada")] == [2, 0]
    assert [line.judged for line in judging.studies.submissions("Ben")] == [0, 0]
    seen = judging.studies.submission("1", "Ben")
    assert [leaf.item for leaf in seen.leaves] == LEAVES
    assert {leaf.passed for leaf in seen.leaves} == {None}
    assert "alpha" not in repr(seen)


def test_the_file_names_task_leaf_person_and_model(judging: ItemStore, folder: Path) -> None:
    judging.studies.judge("2", {"sql:sex": True}, "Ada")
    judging.studies.judge("2", {"sql:sex": True}, "Ada")
    judging.studies.judge("2", {"sql:sex": False}, "Ada")
    written = (folder / "leaf_verdicts.jsonl").read_text().splitlines()
    lines = [json.loads(line) for line in written]
    assert [line["passed"] for line in lines] == [True, False]
    named = {"task": ITEM, "item": "sql:sex", "person": "Ada", "model": "beta"}
    assert named.items() <= lines[0].items()


def test_an_unknown_leaf_is_refused(judging: ItemStore) -> None:
    with pytest.raises(UserError, match="load the page again"):
        judging.studies.judge("1", {"sql:nothing": True}, "Ada")
    with pytest.raises(UserError, match="no such submission"):
        judging.studies.submission("9", "Ada")


def test_agreement_reads_the_verdicts_that_the_page_writes(
    cli: Cli, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    published = tmp_path_factory.mktemp("published")
    write_submission(published)
    write_grades(published, [sample(failed=("sex",))])
    # Any folder above the submissions names their model alike.
    for part, person, failed in (("", "Ada", "sql:sex"), ("a-model/test", "Ben", "sql:age")):
        submissions = published / "outputs" / "inference" / part
        studies = open_store(folder, None, counting(), submissions=submissions).studies
        studies.judge("1", dict.fromkeys(LEAVES, True), person)
        studies.judge("1", {failed: False}, person)
    human = folder / "leaf_verdicts.jsonl"
    done = cli(
        "agreement",
        "clinsql",
        published / "outputs/evaluation",
        "--tasks",
        folder,
        "--human",
        human,
        "--json",
    )
    assert done.code == 0, done.err
    rows = orjson.loads(done.out)["tables"]["table_13"]["rows"]
    found = {(row["Rater"], row["Rater 2"]): (row["Leaf SQL"], row["Pass SQL"]) for row in rows}
    assert found == {
        ("published", "person:Ada"): (100.0, 100.0),
        ("published", "person:Ben"): (0.0, 100.0),
        ("person:Ada", "person:Ben"): (0.0, 100.0),
    }


@pytest.mark.parametrize(("made", "sentence"), [(False, "does not exist"), (True, "no submission")])
def test_a_folder_without_submissions_is_refused(
    folder: Path, tmp_path: Path, made: bool, sentence: str
) -> None:
    submissions = tmp_path / "nothing"
    if made:
        submissions.mkdir()
    with pytest.raises(UserError, match=sentence):
        open_store(folder, None, counting(), submissions=submissions)
