"""The search index of a run: complete, current, and made again when it cannot be read."""

import shutil
from dataclasses import replace
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records import trial_record
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord, VerdictRecord
from wardround.core.run_check import check_run
from wardround.core.run_document import INDEX, TRIALS
from wardround.core.run_reader import read_trials, read_verdict
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.report.trial_index import file as index_file
from wardround.report.trial_index import growth
from wardround.report.trial_index.search import MOST_COUNTED, FoundTrials, Search, opened_index
from wardround.report.trial_notes import add_note, new_note
from wardround.scoring.reliability import Tally

SETTINGS = {"settings": {"benchmark": "triage", "trials": 1}, "tasks": {"count": 3}}


def record(task: str, outcome: Outcome, ward: str) -> TrialRecord:
    return trial_record(task, outcome=outcome, labels={"ward": ward})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that goes on, with two trials."""
    with new_run(tmp_path / "run", SETTINGS) as writer:
        add(writer, record("stroke", Outcome.FAILED, "west"), "The drug is Heparin 5 mg.")
        add(writer, record("cough", Outcome.PASSED, "east"), "Nothing was found.")
    return tmp_path / "run"


def add(writer: RunWriter, trial: TrialRecord, said: str) -> None:
    where = writer.add_trajectory(Trajectory([Said("agent", said)]))
    writer.add_trial(replace(trial, trajectory=where))


def found(folder: Path, **search: str) -> list[str]:
    with opened_index(folder) as index:
        assert index.grow(60)
        return [trial.task for trial in index.search(Search(**search), 0, 10).records]


@pytest.mark.parametrize(
    ("search", "tasks"),
    [
        ({}, ["stroke", "cough"]),
        ({"outcome": "passed"}, ["cough"]),
        ({"label": "ward=west"}, ["stroke"]),
        ({"task": "cough"}, ["cough"]),
        ({"words": "heparin"}, ["stroke"]),
        ({"words": "5 mg heparin"}, ["stroke"]),
        ({"words": "heparin warfarin"}, []),
        ({"words": "stroke"}, ["stroke"]),
        ({"words": "found", "outcome": "failed"}, []),
        # What looks like an operator is a word.
        ({"words": "heparin OR nothing"}, []),
        ({"words": '"*'}, []),
        ({"words": "' OR 1=1 --"}, []),
        ({"label": "ward"}, []),
    ],
)
def test_trials_are_found(run: Path, search: dict[str, str], tasks: list[str]) -> None:
    assert found(run, **search) == tasks


def test_pages_and_counts(run: Path) -> None:
    found(run)
    index = opened_index(run)
    page = index.search(Search(), 1, 1)
    assert [trial.task for trial in page.records] == ["cough"]
    assert (page.count, page.counted) == (2, "2")
    assert index.outcomes() == {"failed": 1, "passed": 1}
    assert index.labels() == {"ward": ["east", "west"]}
    assert FoundTrials([], MOST_COUNTED + 1).counted == "10,000+"
    index.connection.close()


def test_a_run_that_goes_on_is_followed(run: Path) -> None:
    assert found(run) == ["stroke", "cough"]
    with RunWriter(run) as writer:
        add(writer, record("fever", Outcome.PASSED, "east"), "A third answer.")
    assert found(run, words="third") == ["fever"]
    assert len(found(run)) == 3


def test_a_run_that_is_scored_again_is_read_again(run: Path) -> None:
    assert found(run, outcome="passed") == ["cough"]
    with RunWriter(run) as writer:
        changed = [replace(each, outcome=Outcome.PASSED) for each in read_trials(run)]
        writer.rewrite_trials(changed[:1])
    assert found(run, outcome="passed") == found(run) == ["stroke"]
    assert found(run, words="heparin") == ["stroke"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0 but damaged" * 50])
def test_a_damaged_index_is_made_again(run: Path, content: bytes) -> None:
    assert len(found(run)) == 2
    (run / INDEX).write_bytes(content)
    assert len(found(run)) == 2


def test_an_index_of_another_run_is_made_again(run: Path, tmp_path: Path) -> None:
    with new_run(tmp_path / "other", SETTINGS) as writer:
        add(writer, record("fever", Outcome.PASSED, "east"), "A third answer.")
    found(run)
    shutil.copy(run / INDEX, tmp_path / "other" / INDEX)
    assert found(tmp_path / "other") == ["fever"]


def test_an_index_that_another_user_made_is_not_believed(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(tmp_path / "theirs.key"))
    found(run)
    with opened_index(run) as index:
        index.connection.execute("UPDATE trials SET outcome = 'passed'")
        index.keep_results(2, index.stamp(), '{"headline": "All were right."}')
    assert found(run, outcome="passed") == ["stroke", "cough"]
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(tmp_path / "mine.key"))
    assert found(run, outcome="passed") == ["cough"]
    with opened_index(run) as index:
        assert index.results() is None


def test_a_folder_that_cannot_be_written_has_its_index_elsewhere(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(index_file, "INDEX", "missing/index.sqlite")
    assert len(found(run)) == 2
    assert len(list((tmp_path / "cache").rglob("*.sqlite"))) == 1


def test_the_index_is_no_part_of_the_run(run: Path) -> None:
    found(run)
    assert not check_run(run).mismatches
    with new_run(run, SETTINGS, force=True):
        assert not list(run.glob(f"{INDEX}*"))


def test_a_changed_trial_is_not_found(run: Path) -> None:
    path = run / TRIALS
    path.write_bytes(path.read_bytes().replace(b"stroke", b"strike"))
    assert found(run) == ["cough"]


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run"):
        opened_index(tmp_path)


def test_an_index_grows_by_steps_and_goes_on_where_it_was(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunWriter(run) as writer:
        for number in range(9):
            add(writer, record(f"fever-{number}", Outcome.PASSED, "east"), f"Answer {number}.")
    monkeypatch.setattr(growth, "_MOST_LINES", 4)
    read = list[int]()
    with opened_index(run) as index:
        while not index.grow(0):
            read.append(index.progress().trials)
        assert read[:3] == [4, 8, 11]
        assert index.progress().is_over
    assert found(run, words="answer 7") == ["fever-7"]
    monkeypatch.setattr(growth, "record_from_json", None)
    assert len(found(run)) == 10  # of a page; nothing is read again


def test_words_wait_until_small_trials_are_found(run: Path) -> None:
    with opened_index(run) as index:
        growth._grow_trials(index.connection, run)
        assert [r.task for r in index.search(Search(), 0, 5).records] == ["stroke", "cough"]
        progress = index.progress()
        assert (progress.trials, progress.with_words, progress.is_over) == (2, 0, False)


def test_verdicts_are_found_by_their_trial(run: Path) -> None:
    with RunWriter(run) as writer:
        trial = read_trials(run)[0]
        verdict = Verdict("answer", "program:paper", "failed", reason="another drug")
        writer.add_verdicts([VerdictRecord(*trial.key, trial.trajectory, verdict)])
    with opened_index(run) as index:
        index.grow(60)
        [where] = index.verdicts(trial)
        assert read_verdict(run, where).verdict == verdict
        assert index.verdicts(read_trials(run)[1]) == []


def test_labels_of_persons_are_searched_and_survive_a_new_index(run: Path) -> None:
    [stroke, cough] = read_trials(run)
    add_note(run, new_note(stroke, "Ada", "wrong drug, harm", ""))
    add_note(run, new_note(cough, "Ada", "", "Well done."))
    assert found(run, mark="harm") == ["stroke"]
    assert found(run, mark="*") == ["stroke", "cough"]
    (run / INDEX).write_bytes(b"damaged")
    assert found(run, mark="wrong drug") == ["stroke"]
    assert not check_run(run).mismatches


def test_tallies_count_scored_trials_by_task(run: Path) -> None:
    with RunWriter(run) as writer:
        add(writer, replace(record("cough", Outcome.FAILED, "east"), trial=1), "Heparin.")
        add(writer, replace(record("cough", Outcome.UNSCORED, "east"), trial=2), "Heparin.")
    found(run)
    with opened_index(run) as index:
        assert index.tallies() == {"stroke": Tally(1, 0), "cough": Tally(2, 1)}


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(Outcome)), max_size=12),
    st.integers(1, 5),
)
def test_an_index_that_grew_is_one_that_was_made_at_once(
    tmp_path_factory: pytest.TempPathFactory, trials: list[tuple[str, Outcome]], most: int
) -> None:
    folder = tmp_path_factory.mktemp("runs") / "run"
    with new_run(folder, SETTINGS):
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth, "_MOST_LINES", most)
        for task, outcome in trials:
            with RunWriter(folder) as writer:
                add(writer, record(task, outcome, "east"), f"{task} is {outcome}")
            found(folder)
        grown = found(folder), found(folder, words="passed"), found(folder, outcome="failed")
    for path in folder.glob(f"{INDEX}*"):
        path.unlink()
    made = found(folder), found(folder, words="passed"), found(folder, outcome="failed")
    assert sorted(made[0]) == sorted(grown[0]) == sorted({task for task, _ in trials})
    assert [sorted(each) for each in made] == [sorted(each) for each in grown]


def test_readers_that_begin_an_index_together_keep_it(run: Path) -> None:
    barrier, counts = Barrier(4), list[int]()

    def read() -> None:
        barrier.wait()
        counts.append(len(found(run)))

    for _ in range(20):
        for path in run.glob("index.*"):
            path.unlink()
        readers = [Thread(target=read) for _ in range(4)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
    assert counts == [2] * 80


def test_two_readers_put_each_trial_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunWriter(run) as writer:
        for number in range(30):
            add(writer, record(f"fever-{number}", Outcome.PASSED, "east"), f"Answer {number}.")
    monkeypatch.setattr(growth, "_MOST_LINES", 3)
    readers = [Thread(target=found, args=(run,)) for _ in range(2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    with opened_index(run) as index:
        assert index.progress().trials == index.search(Search(), 0, 1).count == 32
        assert index.search(Search(words="answer"), 0, 50).count == 30
        values = index.connection.execute("SELECT trials FROM label_values ORDER BY value")
        assert [trials for (trials,) in values] == [31, 1]
