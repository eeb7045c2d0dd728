"""Tables and figures of sessions: types by implicitness, languages, the patient, pairs of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from wardround.benchmarks.assist.comparison import compare
from wardround.benchmarks.assist.report.summary import summarize
from wardround.benchmarks.assist.scorer import (
    GRADINGS,
    JUDGE,
    PROGRAM,
    AssistMeasures,
    TurnMeasures,
    chosen,
)
from wardround.benchmarks.assist.turns import SessionSettings
from wardround.core.benchmark import Summary
from wardround.core.figures import Cells, Curve
from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.core.verdict import Verdict

LOOK, ASK = "Observation.search", "patient.get_symptom_history"


def a_turn(passed: int, **changes: Any) -> TurnMeasures:
    """A prepared turn with four items and one gold call, which was made."""
    turn = TurnMeasures(
        type="DG", subtype="NA", source="ehr", items=4, passed=dict.fromkeys(GRADINGS, passed),
        undecided=dict.fromkeys(GRADINGS, 0), decided_by_programs=4, prepared=True, answered=True,
        calls=1, refused=0, gold_tools=[LOOK], tools=[LOOK], words_only=False, unasked_writes=0,
    )  # fmt: skip
    return replace(turn, **changes)


def a_session(
    task: str, scores: Sequence[int], turns: Mapping[int, Mapping[str, Any]] = {}, **settings: Any
) -> TrialRecord:
    """A session: IL, then a DG (NA), a CR with the patient (PE), a write (AE)."""
    kinds: list[dict[str, Any]] = [
        {"type": "IL", "subtype": None},
        {"type": "DG", "subtype": "NA"},
        {"type": "CR", "subtype": "PE", "source": "mixed"},
        {"type": "WU", "subtype": "AE", "source": "write"},
    ]
    measured = [
        a_turn(score, **{**kind, **turns.get(number, {})})
        for number, (score, kind) in enumerate(zip(scores, kinds, strict=True))
    ]
    return TrialRecord(
        task=task, trial=0, seed=0, outcome=Outcome.FAILED, reason="", ending="finished",
        scores=dict.fromkeys(GRADINGS, 0.5), labels={"scenario": "med_safety", "tier": "2"},
        counts={}, use={}, seconds=1.0, trajectory=ByteRange(0, 0),
        measures=asdict(AssistMeasures(SessionSettings(**settings), measured)),
    )  # fmt: skip


def a_run(
    model: str, *scores: Sequence[int], **settings: Any
) -> tuple[dict[str, Any], list[TrialRecord]]:
    """A run of a model, a session for each list of scores."""
    sessions = [a_session(f"s{n}", each, **settings) for n, each in enumerate(scores)]
    described = {"agent": "tools", "models": {"agent": {"name": f"openai:{model}"}}, **settings}
    return described, sessions


def rows(summary: Summary, table: str) -> list[dict[str, Any]]:
    found = summary.tables[table]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_a_run_has_a_heat_map_that_leaves_missing_cells_empty() -> None:
    figure = summarize([a_session("a", (4, 2, 4, 0)), a_session("b", (2, 0, 4, 0))]).figures[
        "types"
    ]
    assert isinstance(figure, Cells)
    assert figure.columns == ("first", "NA", "PE", "AE", "all")
    assert figure.rows["IL Information Lookup"] == (75.0, None, None, None, 75.0)
    assert figure.rows["DG Data Gathering"] == (None, 25.0, None, None, 25.0)


def test_heat_maps_over_models_leave_explicit_runs_out_and_pool_the_runs_of_a_model() -> None:
    summary = compare(
        [
            a_run("a", (4, 4, 4, 4)),
            a_run("a", (4, 2, 4, 4)),
            a_run("b", (4, 1, 4, 4)),
            a_run("b", (4, 4, 4, 4), explicit=True),
        ]
    )
    figure = summary.figures["types_en"]
    assert isinstance(figure, Cells)
    assert figure.columns[-1] == "mean over models"
    assert figure.rows["DG NA"] == (100.0, 50.0, 25.0, 100.0, 50.0)
    assert "IL NA" not in figure.rows
    [row] = [
        r for r in rows(summary, "types_over_models") if (r["Type"], r["Subtype"]) == ("DG", "NA")
    ]
    assert (row["Models"], row["Turns"], row["Mean"], row["Deviation"]) == (2, 3, 50.0, 35.4)


def test_implicit_turns_are_compared_with_the_same_explicit_ones_by_subtype() -> None:
    implicit = a_run("a", (4, 2, 4, 3), (0, 1, 4, 3))
    explicit = a_run("a", (4, 4, 4, 2), (4, 2, 4, 2), explicit=True)
    summary = compare([explicit, implicit])
    found = {row["Subtype"]: row for row in rows(summary, "explicit")}
    assert (found["NA"]["Turns"], found["NA"]["Difference"]) == (2, -37.5)
    assert (found["NA"]["Difference low"], found["NA"]["Difference high"]) == (-50.0, -25.0)
    assert (found["AE"]["Difference"], found["AE"]["Difference high"]) == (25.0, 25.0)
    # Equal runs have no difference, and no interval of a rate.
    assert [found["PE"][c] for c in ("Difference", "Difference low", "Difference high")] == [
        0.0
    ] * 3
    assert found["all"]["Turns"] == 6
    other = [a_run("b", (4, 3, 4, 3)), a_run("b", (4, 4, 4, 4), explicit=True)]
    over = {
        r["Subtype"]: r for r in rows(compare([explicit, implicit, *other]), "explicit_over_models")
    }
    assert (over["NA"]["Pairs of runs"], over["NA"]["Negative"]) == (2, 2)
    assert (over["AE"]["Mean difference"], over["AE"]["Negative"]) == (0.0, 1)


def test_runs_that_differ_in_more_than_the_question_are_no_pair() -> None:
    summary = compare(
        [a_run("a", (4, 4, 4, 4)), a_run("a", (4, 4, 4, 4), explicit=True, literacy="low")]
    )
    assert "explicit" not in summary.tables


def test_the_language_gap_is_explained_both_ways() -> None:
    nothing = {"calls": 0, "tools": []}
    english = (
        {"agent": "tools", "language": "en"},
        [
            a_session("s0", (4, 0, 4, 4), {1: {**nothing, "declined": True}}),
            a_session("s1", (4, 0, 4, 4), {1: nothing}),
            a_session("s2", (4, 4, 4, 4)),
        ],
    )
    chinese = (
        {"agent": "tools", "language": "zh"},
        [
            a_session("s0", (4, 4, 4, 4), language="zh"),
            a_session("s1", (4, 4, 4, 4), language="zh"),
            a_session("s2", (4, 4, 0, 4), {2: {"answered": False}}, language="zh"),
        ],
    )
    summary = compare([chinese, english])
    [gap] = rows(summary, "languages")
    assert (gap["Turns"], gap["zh less en"]) == (9, 11.1)
    assert (gap["Refused, en"], gap["Refused, zh"]) == (8.3, 0.0)
    assert (gap["Too few calls, en"], gap["No answer, zh"]) == (16.7, 8.3)
    in_chinese, in_english = rows(summary, "language_failures")
    assert (in_chinese["Passed in"], in_chinese["Turns"]) == ("zh", 2)
    assert (in_chinese["Skips calls of the other, %"], in_chinese["Refused, %"]) == (100.0, 50.0)
    assert (in_english["Turns"], in_english["Skips calls of the other, %"]) == (1, 0.0)
    assert in_english["No answer, %"] == 100.0


def test_turns_with_the_patient_stand_beside_those_without() -> None:
    sessions = [a_session("a", (4, 4, 2, 4)), a_session("b", (4, 4, 1, 4))]
    strict = rows(summarize(sessions), "patient")[0]
    assert (strict["Patient turns"], strict["Record turns"]) == (2, 6)
    assert (strict["With the patient"], strict["Record only"]) == (37.5, 100.0)
    assert [strict[f"Difference{end}"] for end in ("", " low", " high")] == [-62.5, -75.0, -50.0]


def test_runs_are_compared_by_tier_scenario_threshold_and_conduct() -> None:
    lazy: dict[int, dict[str, Any]] = {
        3: {"words_only": True, "tools": [], "calls": 0},
        1: {"unasked_writes": 2},
    }
    runs = [a_run("a", (4, 4, 4, 4)), ({"agent": "b"}, [a_session("s0", (4, 3, 4, 0), lazy)])]
    summary = compare(runs)
    first, second = rows(summary, "groups")
    assert (first["tier 2"], second["tier 2"], second["med_safety"]) == (100.0, 68.8, 68.8)
    assert second["tier 1"] is None
    second = rows(summary, "conduct")[1]
    assert (second["In words only"], second["Unasked writes"]) == (1, 2)
    assert (second["Calls"], second["Calls with preparations"]) == (3, 7)
    curve = summary.figures["thresholds_S"]
    assert isinstance(curve, Curve)
    assert dict(curve.lines["b"])[0.0] == 100.0
    assert dict(curve.lines["b"])[0.05] == 0.0


def test_scores_say_how_many_sessions_are_undecided() -> None:
    undecided = {"undecided": dict.fromkeys(GRADINGS, 1)}
    sessions = [a_session("a", (4, 4, 4, 3), {3: undecided}), a_session("b", (4, 4, 4, 4))]
    strict = [row for row in rows(summarize(sessions), "scores") if row["Scenario"] == "all"]
    lower, upper = (row for row in strict if row["Grading"] == "strict")
    assert (lower["Sessions"], lower["With undecided items"]) == (2, 1)
    assert lower["Items undecided"] == 3.1
    assert (lower["mRS"], upper["mRS"]) == (96.9, 100.0)


def test_the_last_verdict_of_a_source_counts() -> None:
    own, other = (Verdict("turn0:0", JUDGE, state) for state in ("failed", "passed"))
    program = Verdict("turn0:0", PROGRAM, "undecided")
    assert chosen([program, own, other], GRADINGS[0]) == {"turn0:0": other}
