"""Sessions are made from a hospital, stopped and resumed with the same bytes."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

import pytest

from tests.authoring.assist.made_drafts import bound
from tests.hospitals import built
from wardround.authoring.assist import slots, work
from wardround.authoring.assist.accounts import Account
from wardround.authoring.assist.candidates.prefilter import Candidate, candidates
from wardround.authoring.assist.candidates.shortlist import shortlist
from wardround.authoring.assist.coverage import EMPTY
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.facts.discrepancies import Discrepancy
from wardround.authoring.assist.facts.patients import ADHERENCE, patient_findings
from wardround.authoring.assist.filled_cells import Source, filled_cells
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.maker_models import NO_MODELS
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.progress import Filled, Progress, in_turn, told_rules, use
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.authoring.assist.session_lines import session_line
from wardround.authoring.assist.slots import _NO_PLAN, Case, SlotFiller
from wardround.authoring.assist.suite_files import FORMAT, SuiteFolder
from wardround.benchmarks.assist.sessions import SCENARIOS
from wardround.benchmarks.assist.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.core.work import WorkContext
from wardround.ehr.database import open_database
from wardround.models import LanguageModel, Message, ModelSettings, Recorder, Reply, scripted
from wardround.models.roles import Models, RoleModels, UnusedModels

SPARSE = [cell for cell in cells("suite") if cell.tier == 1 and cell.arc.count("CR") == 0]
SAME = '{"first": "a", "second": "a", "difference": "none", "same": true}'
WANTED = [cell for cell in SPARSE if cell.scenario == "discharge_planning"][1:3]


@pytest.fixture(autouse=True)
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cells instead of 108."""
    monkeypatch.setattr(work, "cells", lambda size: WANTED)


def made(database: Path, to: Path, models: Models | None = None) -> dict[str, bytes]:
    """The files of a made suite but for the record."""
    options = MakeOptions(database=str(database), to=to, discrepancies=True)
    work.make(options, WorkContext(models or UnusedModels()))
    return files(to)


def files(folder: Path) -> dict[str, bytes]:
    """The files of a folder but for the record, by path."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths
            if path.name != "record.fhir"}  # fmt: skip


def lines(made: dict[str, bytes]) -> list[dict[str, Any]]:
    """The sessions of a made suite."""
    texts = (text for name, text in made.items() if name.endswith(".jsonl"))
    return [json.loads(line) for text in texts for line in text.splitlines()]


@contextmanager
def stopped_after_one() -> Iterator[None]:
    """Interrupts the work at the second session."""
    fill = SlotFiller.fill

    def stopped(self: SlotFiller, *args: Any, **options: Any) -> Any:
        if self.progress.patients:
            raise KeyboardInterrupt
        return fill(self, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SlotFiller, "fill", stopped)
        yield


@pytest.fixture(scope="module")
def suite(noted_hospital: Path) -> Path:
    """A folder whose making was stopped and has gone on to its end; no test changes it."""

    def make(folder: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(work, "cells", lambda size: WANTED)
            with stopped_after_one(), pytest.raises(KeyboardInterrupt):
                made(noted_hospital, folder)
            journal = folder / "journal.jsonl"
            # A line that was cut off.
            journal.write_bytes(journal.read_bytes() + b'{"cell": 1, "li')
            made(noted_hospital, folder)

    return built("sessions", make)


def test_stopped_work_goes_on_to_sessions_that_are_read_as_published(suite: Path) -> None:
    loaded = load_tasks(suite)
    assert len(loaded.tasks) == 2
    assert not loaded.defects
    gates = json.loads((suite / "gates.json").read_bytes())
    assert any(stage == "tried" and count for *_, stage, count in gates)


def test_a_free_process_fills_a_cell_with_the_same_session(
    noted_hospital: Path, suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_database(str(noted_hospital))) as database:
        chosen = shortlist(candidates(database, 0), WANTED)
    source = Source(str(noted_hospital), suite / "record.fhir", chosen, 0, discrepancies=True)
    monkeypatch.setattr("wardround.authoring.assist.filled_cells._FEW", 0)
    # Two processes have nothing to do for their scenarios, and one of them takes the third.
    own = WANTED[0].scenario
    others = [each for each in SCENARIOS if each != own][:2]
    monkeypatch.setattr("wardround.authoring.assist.filled_cells.SCENARIOS", (*others, own))
    monkeypatch.setattr("os.cpu_count", lambda: len(others))
    (entry,) = filled_cells(source, WANTED[:1], [], NO_MODELS)
    assert json.loads(json.dumps(entry["line"])) == lines(files(suite))[0]
    assert entry["snapshot"]["subject_id"] == entry["line"]["subject_id"]
    # Its second round is about what the first one left empty.
    monkeypatch.setattr("wardround.authoring.assist.filled_cells._FEW", -1)
    empty = {**entry, "line": None, "called": (), "avoided": (), "snapshot": None}
    (again,) = filled_cells(source, WANTED[:1], [empty], NO_MODELS)
    assert again["line"]
    assert again["cause"] == EMPTY


def test_flagged_sessions_are_made_again_about_other_patients(
    noted_hospital: Path, suite: Path, tmp_path: Path
) -> None:
    folder, sheet = tmp_path / "made", tmp_path / "sheet.csv"
    copytree(suite, folder)
    before = files(folder)
    good, flagged = lines(before)
    sheet.write_text(f"Entry ID,plausible\n{good['id']},yes\n{flagged['id']},no\n")
    options = MakeOptions(
        database=str(noted_hospital), to=folder, discrepancies=True, again=(sheet,)
    )
    result = work.make(options, WorkContext(UnusedModels()))
    assert result.status == 0, result.problems
    after = files(folder)
    kept, other = lines(after)
    assert kept == good
    assert other["id"] == flagged["id"]
    assert other["subject_id"] not in (flagged["subject_id"], good["subject_id"])
    named = "".join(name for name in after if name.startswith(("memories", "snapshots")))
    assert str(flagged["subject_id"]) not in named
    assert str(other["subject_id"]) in named
    counts = [
        {tuple(key): count for *key, count in json.loads(each["gates.json"])}
        for each in (before, after)
    ]
    assert all(counts[1][key] >= count for key, count in counts[0].items())
    assert counts[1] != counts[0]


SHEETS = [
    ("Entry ID,plausible\nnobody,yes\n", "no session to make again"),
    ("Entry ID,plausible\nnobody,no\n", "has no session nobody"),
    ("Entry ID,plausible\nnobody,perhaps\n", "neither yes nor no"),
]


@pytest.mark.parametrize(("sheet", "message"), SHEETS)
def test_a_sheet_without_flagged_sessions_of_the_suite_is_refused(
    noted_hospital: Path, tmp_path: Path, sheet: str, message: str
) -> None:
    folder, path = tmp_path / "made", tmp_path / "sheet.csv"
    folder.mkdir()
    for scenario in SCENARIOS:
        (folder / f"{scenario}.jsonl").touch()
    path.write_text(sheet)
    options = MakeOptions(database=str(noted_hospital), to=folder, again=(path,))
    with pytest.raises(UserError, match=message):
        work.make(options, WorkContext(UnusedModels()))


def test_a_folder_without_a_suite_cannot_be_made_again(
    noted_hospital: Path, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("Entry ID,plausible\none,no\n")
    options = MakeOptions(database=str(noted_hospital), to=tmp_path / "no", again=(sheet,))
    with pytest.raises(UserError, match="holds no made suite"):
        work.make(options, WorkContext(UnusedModels()))


class PoliteModels:
    """A writer that adds a courtesy, and a checker to whom all is the same; both are recorded."""

    def __init__(self, recording: Path | None = None) -> None:
        self._recorder = recording and Recorder(recording)
        self._english: dict[str, str] = {}
        self._twin = ""

    def open(self, role: str) -> LanguageModel:
        model = scripted(self._answer)
        around = self._recorder.around(model.source) if self._recorder else model.source
        return replace(model, source=around)

    def find(self, role: str) -> LanguageModel:
        return self.open(role)

    async def close(self) -> None:
        if self._recorder:
            self._recorder.close()

    def _answer(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        if messages[0].text.startswith("You plan"):
            return Reply('{"number": 1}')
        lines = dict(line.split(": ", 1) for line in messages[1].text.splitlines())
        if "Version 1" in lines:
            return Reply(SAME)
        if "Chinese" in lines:
            return Reply(json.dumps({"english": self._english[lines["Chinese"]]}))
        text = lines["Text"]
        if text.isascii():  # its Chinese twin follows
            self._twin = text
            return Reply(json.dumps({"text": f"Thanks: {text}"}))
        polite = f"劳驾，{text}"
        self._english[polite] = self._twin
        return Reply(json.dumps({"text": polite}))


def test_sessions_in_a_models_words_resume_and_replay_with_the_same_bytes(
    noted_hospital: Path, tmp_path: Path
) -> None:
    recording = tmp_path / "recording.jsonl"
    whole = made(noted_hospital, tmp_path / "whole", PoliteModels(recording))
    named = {role: ModelSettings(name="scripted") for role in ("planner", "writer", "checker")}
    with stopped_after_one(), pytest.raises(KeyboardInterrupt):
        made(noted_hospital, tmp_path / "parts", RoleModels(named, replay=recording))
    with pytest.raises(UserError, match="made with other options"):
        made(noted_hospital, tmp_path / "parts")
    replayed = RoleModels(named, replay=recording)
    assert made(noted_hospital, tmp_path / "parts", replayed) == whole

    suite = load_tasks(tmp_path / "whole")
    assert not suite.defects
    writers = [writer for line in lines(whole) for writer in line["question_writers"]]
    worded = [
        any(
            line[f"tasks_{form}"][turn].startswith(("Thanks: ", "劳驾，"))
            for form in ("en", "zh", "en_explicit", "zh_explicit")
        )
        for line in lines(whole)
        for turn in range(4)
    ]
    assert [writer == "scripted" for writer in writers] == worded
    assert sum(worded) > 4


def test_a_writer_needs_a_checker(noted_hospital: Path, tmp_path: Path) -> None:
    models = RoleModels({"writer": ModelSettings(name="openai:none", base_url="http://x/v1")})
    with pytest.raises(UserError, match="The checker has no language model"):
        made(noted_hospital, tmp_path / "to", models)
    assert not (tmp_path / "to").exists()


def test_a_folder_with_something_else_is_refused(noted_hospital: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty; name a new folder"):
        made(noted_hospital, tmp_path)


def test_a_broken_line_of_a_journal_is_named(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path / "made")
    folder.begin({"seed": 0})
    journal = tmp_path / "made" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"cell": 1, "li\n')
    with pytest.raises(UserError, match=r"Line 2 of .*journal.jsonl is broken"):
        folder.entries()
    assert len(journal.read_bytes().splitlines()) == 2


def test_a_journal_of_another_format_is_not_resumed(
    noted_hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(work, "FORMAT", FORMAT - 1)
        earlier.setattr(work, "converted", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            made(noted_hospital, tmp_path / "to")
    with pytest.raises(UserError, match="by another version of wardround; name a new folder"):
        made(noted_hospital, tmp_path / "to")


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def test_faults_are_counted_by_gate_reason_and_task_type() -> None:
    counts, arc = GateCounts(), WANTED[0].arc
    counts.tried("form", arc)
    counts.failed([Fault("form", "long", 3), Fault("form", "long", 3)], arc, "retried")
    counts.failed([Fault("form", "long", 3)], arc, "dropped")
    table = {row[:3]: row[3:] for row in counts.table().rows}
    assert table["form", "long", arc[3]] == (0, 2, 1, 1)
    assert table["form", "any", "IL"][0] == arc.count("IL")
    assert GateCounts.from_json(counts.to_json()) == counts


def _candidate(subject: int, tier: int = 1, storyline: int = 0) -> Candidate:
    discharge = datetime.fromisoformat("2150-03-06")
    return Candidate(subject, subject, discharge, discharge, {WANTED[0].scenario: tier}, storyline)


def test_patients_with_long_storylines_come_first_until_they_are_tried_in_vain() -> None:
    cell, progress = WANTED[0], Progress()
    patients = [_candidate(number, storyline=each) for number, each in ((1, 2), (2, 3), (3, 9))]
    patients.append(_candidate(4, storyline=4))
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [3, 4, 2, 1]
    use(progress, Filled(vain=(3, 4)))
    for _ in range(3):
        use(progress, Filled(vain=(3,)))
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [2, 4, 1, 3]
    use(progress, Filled(patients[1], {}, ("Observation",), vain=(1,)))
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [4, 3, 1]
    assert progress.resources["Observation"] == 1


def test_what_few_sessions_asked_is_asked(filler: SlotFiller) -> None:
    cell = next(each for each in cells("suite") if each.scenario == "discharge_planning")
    patient = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge)
    own = SlotFiller(filler.record, filler.candidates, 0, True, Progress())
    told = patient_findings(own.accounts.detailed(patient, Random(0)))
    known = {each.call.tool for each in told}
    rare, *others = sorted(known & scenario_tools(cell.scenario))
    assert others
    own.progress.resources.update(dict.fromkeys(others, 1_000))
    assert {own.accounts.tool(cell, patient, Random(n)) for n in range(20)} == {rare}


def test_a_required_tool_is_looked_for_among_all_patients(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitting = [replace(each, tiers={"discharge_planning": 3}) for each in filler.candidates]
    own = SlotFiller(filler.record, fitting, 0, True, Progress())
    cell = next(each for each in cells("suite") if each.scenario == "discharge_planning")
    last = own._promising(0, cell, ())[-1]
    monkeypatch.setattr(slots, "_SURVEYED", 1)
    assert own._promising(0, cell, ()) != [last]
    monkeypatch.setattr(own, "_can_use_tool", lambda _, each: each == last)
    assert own._promising(0, cell, ()) == [last]


@pytest.mark.parametrize(("can_differ", "tries"), [(False, 4), (True, 8)])
def test_a_failed_try_is_made_again_only_where_the_patient_can_differ(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch, *, can_differ: bool, tries: int
) -> None:
    own = SlotFiller(filler.record, filler.candidates, 0, True, Progress())
    own.widen()
    made = list[int]()

    def case(number: int, *_: object) -> Case:
        made.append(number)
        account = Account(patient.memory, can_differ=can_differ)
        return Case(patient, True, ADHERENCE, account, Random(0))

    monkeypatch.setattr(own, "_case", case)
    cell = next(each for each in cells("suite") if each.scenario == "discharge_planning")
    patient = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge)
    assert own._session(0, [cell], filler.candidates[0]) is None
    assert len(made) == tries
    counts = own._counts.counts
    assert counts["plan", _NO_PLAN.reason, "session", "retried"] == tries - 1
    assert counts["plan", _NO_PLAN.reason, "session", "dropped"] == 1


def test_an_empty_cell_may_have_a_patient_of_another_session(filler: SlotFiller) -> None:
    cell = WANTED[0]
    patients, progress = [_candidate(1), _candidate(2)], Progress(patients=Counter([1]))
    assert in_turn(patients, cell, progress) == patients[1:]
    assert in_turn(patients, cell, progress, "all") == patients[::-1]


def test_a_patient_is_tried_with_each_order_that_is_offered(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = replace(WANTED[0], arc=("IL", "CR", "DG", "CR"), forms=("NA", "AE", "PE"))
    offers = [cell, replace(cell, forms=("PE", "AE", "NA"))]
    tried, drawn = list[Cell](), list[tuple[int, int, int]]()
    patient = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge)

    def case(number: int, cell: Cell, candidate: Candidate, place: int, attempt: int) -> Case:
        drawn.append((candidate.subject_id, place, attempt))
        return Case(patient, True, ADHERENCE, Account(patient.memory), Random(0))

    def planned(number: int, cell: Cell, *_: object) -> None:
        tried.append(cell)

    monkeypatch.setattr(SlotFiller, "_promising", lambda *_: [_candidate(1), _candidate(2)])
    own = SlotFiller(filler.record, filler.candidates, 0, discrepancies=False)
    monkeypatch.setattr(own, "_case", case)
    monkeypatch.setattr(own, "_planned", planned)
    assert own.fill(0, offers).vain == (1, 2)
    assert tried == [each for _ in (1, 2) for each in offers for _ in range(4)]
    assert drawn == [(patient, 0, attempt) for patient in (1, 2) for attempt in range(4)]


def test_every_bought_drug_counts_for_all_of_them(filler: SlotFiller) -> None:
    own = replace(filler, progress=Progress(stories=Counter({"ibuprofen": 50, "ran_out": 3})))
    found = [
        Discrepancy("warfarin", "takes_other", bound("warfarin_nsaid", "warfarin", "naproxen")),
        Discrepancy("warfarin", "ran_out", bound("warfarin_untaken", "warfarin")),
    ]
    drawn = [own.accounts._one_of(found, Random(n)).state for n in range(20)]
    assert drawn == ["ran_out"] * 20


def test_a_storyline_of_a_patient_is_told_once(filler: SlotFiller) -> None:
    own = replace(filler, progress=Progress())
    made = (
        (cell, each, own._session(0, [cell], each))
        for cell in cells("full")
        for each in own.candidates
    )
    cell, candidate, session = next(
        each for each in made if each[2] and told_rules(session_line(each[2], ""))[1]
    )
    assert session
    assert not own._is_told_again(session)
    use(own.progress, Filled(candidate, session_line(session, "")))
    assert own._is_told_again(session)
    again = own._session(0, [cell], candidate)
    assert not again or told_rules(session_line(again, "")) not in own.progress.told
    own._reach = "again"
    assert not own._is_told_again(session)  # rather than an empty cell
