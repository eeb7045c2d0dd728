import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cases import for_each
from wardround.benchmarks.chatqa.judge import (
    QueryGrader,
    queries_of,
    query_verdicts,
    record_test,
    ungraded,
    whole_result,
)
from wardround.benchmarks.chatqa.scorer import explanation, score, score_adapt, score_incre
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic, ChatTask, Flow
from wardround.core.actions import Call
from wardround.core.benchmark import Score
from wardround.core.limits import Limits
from wardround.core.task import Task
from wardround.core.trajectory import Called, Event, Returned, Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database, QueryError, ResultTable, open_database

READ = "SELECT orders FROM drugs WHERE name = 'aspirin'"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("graded") / "small.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE drugs (name TEXT, orders INTEGER)")
        connection.executemany(
            "INSERT INTO drugs VALUES (?, ?)",
            [("aspirin", 3), ("heparin", 5), *((f"drug {n:03}", 0) for n in range(200))],
        )
    connection.close()
    opened = open_database(path)
    yield opened
    opened.close()


def a_task(flow: Flow, *gold: tuple[Any, ...], sql: str = "SELECT orders FROM drugs") -> ChatTask:
    hidden = ChatHidden("", sql, gold)
    return Task("t", ChatPublic(flow, "small"), hidden)


def grade(task: ChatTask, trajectory: Trajectory, database: Database, limits: Limits) -> Score:
    """Scores a trajectory that has no verdicts yet."""
    verdicts = [
        verdict
        for query in ungraded(task, trajectory, {})
        for verdict in query_verdicts(
            task,
            query,
            whole_result(query.sql, database, limits.statement_seconds),
            record_test(task, database, limits.statement_seconds),
        )
    ]
    return score(task, trajectory, verdicts)


OPENING, ENDING = Said("user", "A question."), Said("user", "###END###")
FOUND = (
    Called("sql_execute", {"query": "SELECT n FROM drugs"}),
    Returned("sql_execute", '{"columns": ["n"], "rows": [[7], ["ten"], [10], ["nine"]]}'),
)


def ended(*events: Event) -> Trajectory:
    """A talk that the user has ended."""
    return Trajectory([OPENING, *events, ENDING])


def queries(*sent: Any) -> Trajectory:
    return ended(*(Called("sql_execute", {"query": query}) for query in sent))


@for_each(
    [
        (["user: Hello.", "agent: <answer>7</answer>", "user: ###END###"], 1),
        (["user: Hello.", "agent: <answer>7</answer>", "user: Thanks. ###END###"], 1),
        (["user: Hello.", "agent: <answer>7</answer>", "user: Thanks."], 0),
        (["user: Hello.", "agent: <answer>7</answer>"], 0),
        (["user: ###END###", "agent: <answer>7</answer>", "user: Thanks."], 0),
        (["user: ###END###", "agent: <answer>7</answer>", "user: ###END###"], 1),
        (["user: Hello.", "agent: <answer>7</answer> ###END###", "user: Thanks."], 0),
        (["user: Hello.", "agent: <answer>7</answer>", "user: ##END##"], 0),
    ]
)
def test_only_the_user_s_ending_earns_the_published_reward(talk: list[str], paper: int) -> None:
    events = [Said(*line.split(": ", 1)) for line in talk]  # type: ignore[arg-type]
    found = score(a_task("adapt", (7,)), Trajectory([*FOUND, *events]), [])
    assert found.rewards == {"paper": paper, "strict": 1}
    assert found.passes() is bool(paper)
    assert ("had not ended" in found.note) is not bool(paper)


def test_queries_of_an_unended_talk_earn_nothing_as_published(database: Database) -> None:
    talk = Trajectory([OPENING, Called("sql_execute", {"query": READ})])
    found = grade(a_task("incre", (3,)), talk, database, Limits())
    assert found.rewards == {"paper": 0, "strict": 1}


@pytest.mark.parametrize(
    ("sent", "paper", "strict", "note"),
    [
        ([READ], 1, 1, ""),
        (["SELECT 3"], 1, 0, "a column matches"),
        (["SELECT 3 FROM drugs LIMIT 1"], 1, 0, "a column matches"),
        (["SELECT 3 FROM drugs WHERE name = 'aspirin'"], 1, 0, "a column matches"),
        (["SELECT COUNT(*) * 0 + 3 FROM drugs"], 1, 0, "a column matches"),
        (["SELECT orders, name FROM drugs WHERE name = 'aspirin'"], 1, 0, "a column matches"),
        (["SELECT 3", "SELECT 4"], 1, 0, "a column matches"),
        (["SELECT 4", READ, "SELECT wrong FROM drugs", "DELETE FROM drugs"], 1, 1, ""),
        (["SELECT 4"], 0, 0, "the query does not match the gold"),
        (["SELECT 4", "SELEC"], 0, 0, "none of 2 queries matches the gold (1 gave no result)"),
        (["SELECT 4", "SELECT 5"], 0, 0, "none of 2 queries matches the gold"),
        ([], 0, 0, "no query was run"),
        ([None, 7], 0, 0, "no query was run"),
    ],
)
def test_increqa_grading_matches_the_file(
    database: Database, sent: list[Any], paper: float, strict: float, note: str
) -> None:
    result = grade(a_task("incre", (3,)), queries(*sent), database, Limits())
    assert result.rewards == {"paper": paper, "strict": strict}
    assert result.passes() is bool(paper)
    assert result.note.startswith(note)


def test_a_query_is_run_again_without_the_agents_row_limit(database: Database) -> None:
    gold = [(f"drug {n:03}",) for n in range(200)]
    trajectory = ended(
        Called("sql_execute", {"query": "SELECT name FROM drugs WHERE orders = 0", "k": 1})
    )
    result = grade(a_task("incre", *gold), trajectory, database, Limits())
    assert result.rewards == {"paper": 1, "strict": 1}


def test_complete_result_is_graded_without_rerunning(database: Database) -> None:
    task = a_task("incre", (3,))
    sent = ["SELECT 5", "SELECT name FROM drugs", "SELEC", "SELECT orders FROM drugs"]
    stored: list[Verdict] = []
    grader = QueryGrader(task, stored.append)
    for sql in sent:
        grader.called(Call("sql_execute", {"query": sql}))
        try:
            grader.ran(sql, database.execute(sql, rows=5))
        except QueryError:
            grader.ran(sql, None)
    remaining = list(ungraded(task, queries(*sent), {verdict.key: verdict for verdict in stored}))
    assert [(query.number, query.sql) for query in remaining] == [(2, sent[1]), (4, sent[3])]
    regraded = query_verdicts(task, queries_of(queries(*sent))[0], [(5,)], lambda sql: True)
    assert list(regraded) == stored[:2]


def test_right_result_in_a_trial_is_left_to_the_judge() -> None:
    task = a_task("incre", (3,))
    stored: list[Verdict] = []
    grader = QueryGrader(task, stored.append)
    grader.called(Call("sql_execute", {"query": "SELECT 3"}))
    grader.ran("SELECT 3", ResultTable(("3",), [(3,)], truncated=False))
    assert not stored


def test_right_result_of_a_query_that_is_not_understood_is_undecided() -> None:
    task = a_task("incre", (3,))
    query = queries_of(queries("SELECT ~~~ 3"))[0]
    paper, strict = query_verdicts(task, query, [(3,)], lambda sql: None)
    assert (paper.state, strict.state) == ("passed", "undecided")
    assert strict.final


def test_unexecuted_call_is_left_ungraded_until_judging() -> None:
    task = a_task("incre", (3,))
    stored: list[Verdict] = []
    grader = QueryGrader(task, stored.append)
    grader.called(Call("sql_execute", {"query": "SELECT 3", "k": "many"}))
    grader.called(Call("sql_execute", {"query": "SELECT 4"}))
    grader.ran("SELECT 4", ResultTable(("4",), [(4,)], truncated=False))
    sent = queries("SELECT 3", "SELECT 4")
    remaining = list(ungraded(task, sent, {verdict.key: verdict for verdict in stored}))
    assert [query.item for query in remaining] == ["query 1"]


def test_endless_query_matches_nothing(database: Database) -> None:
    trajectory = queries(READ, ENDLESS)
    result = grade(a_task("incre", (3,)), trajectory, database, Limits(statement_seconds=0.05))
    assert result.rewards == {"paper": 1, "strict": 1}


def test_gold_with_null_is_matched_by_strict_grading_only(database: Database) -> None:
    nothing = "SELECT MAX(orders) FROM drugs WHERE name = 'x'"
    result = grade(
        a_task("incre", (None,), sql=nothing),
        queries(nothing),
        database,
        Limits(),
    )
    assert (result.passes(), result.rewards) == (False, {"paper": 0, "strict": 1})
    assert "cannot match" in result.note


@pytest.mark.parametrize(
    ("said", "paper", "strict", "note"),
    [
        (["It is <answer>ten</answer>."], 1, 1, ""),
        (["<answer>ten</answer>", "<answer>nine</answer>"], 1, 0, "an answer passes as published"),
        (["<answer>10</answer>"], 1, 1, ""),
        (["<answer>ten.</answer>"], 0, 1, "the last answer is the gold, but not in a form"),
        (["<answer>nine</answer>", "Bye."], 0, 0, "none of 1 answers is the gold"),
        (["ten"], 0, 0, "no tagged answer was given"),
    ],
)
def test_adaptqa_grading_matches_the_file(
    database: Database, said: list[str], paper: float, strict: float, note: str
) -> None:
    trajectory = ended(*FOUND, *(Said("agent", text) for text in said))
    found = grade(a_task("adapt", ("ten",)), trajectory, database, Limits())
    assert found.rewards == {"paper": paper, "strict": strict}
    assert found.passes() is bool(paper)
    assert found.note.startswith(note)


@pytest.mark.parametrize(
    ("query", "returned", "strict"),
    [
        ("SELECT n FROM drugs", '{"rows": [["ten"]]}', 1),
        ("SELECT COUNT(*) FROM drugs", '{"rows": [[10]]}', 1),
        ("SELECT n FROM drugs", f'{{"rows": {[["x"]] * 10}}}'.replace("'", '"'), 1),
        ("SELECT n FROM drugs", '{"rows": [["often"], [100]]}', 0),
        ("SELECT 10", '{"rows": [[10]]}', 0),
        ("SELECT 10 FROM drugs", '{"rows": [[10]]}', 0),
    ],
)
def test_a_strict_answer_rests_on_what_tools_returned(
    query: str, returned: str, strict: float
) -> None:
    talk = ended(
        Called("sql_execute", {"query": query}),
        Returned("sql_execute", returned),
        Said("agent", "<answer>ten</answer>"),
    )
    assert score(a_task("adapt", ("ten",)), talk, []).rewards == {"paper": 1, "strict": strict}


def test_only_the_agents_messages_and_queries_count(database: Database) -> None:
    trajectory = Trajectory(
        [
            Said("user", "<answer>ten</answer>"),
            Returned("sql_execute", "<answer>ten</answer>"),
            Called("web_search", {"query": "SELECT 10"}),
        ]
    )
    assert grade(a_task("adapt", ("ten",)), trajectory, database, Limits()).note
    assert queries_of(trajectory) == []


def test_notes_contain_no_values(database: Database) -> None:
    secret = "drug 007"
    scores: list[Score] = [
        grade(a_task("incre", (secret,)), queries("SELECT name FROM drugs"), database, Limits()),
        grade(
            a_task("adapt", (secret,)),
            Trajectory([Said("agent", "<answer>drug 008</answer>")]),
            database,
            Limits(),
        ),
    ]
    assert not any("drug" in score.note for score in scores)


def test_empty_trial_earns_nothing() -> None:
    assert score_incre([], []) == {"paper": 0, "strict": 0}
    assert score_adapt([[1]], []) == {"paper": 0, "strict": 0}


GOLD = "SELECT name FROM drugs WHERE orders = 5"


def explained(flow: Flow) -> ChatTask:
    hidden = ChatHidden("Find the drug.", GOLD, (("heparin",),))
    return Task("t", ChatPublic(flow, "small"), hidden)


def test_the_query_most_like_the_gold_is_shown_with_its_first_difference() -> None:
    sent = ["SELECT 1", "SELECT name FROM drugs WHERE orders = 3", "SELECT COUNT(*) FROM beds"]
    trajectory, task = queries(*sent), explained("incre")
    results: list[list[tuple[int | str, ...]] | None] = [[(1,)], [("aspirin",)], None]
    verdicts = [
        verdict
        for query, rows in zip(queries_of(trajectory), results, strict=True)
        for verdict in query_verdicts(task, query, rows, lambda sql: True)
    ]
    found = explanation(task, trajectory, verdicts)
    assert (found.request, found.gold, found.attempt) == ("Find the drug.", GOLD, sent[1])
    assert found.difference.splitlines() == [
        "want 1 row: (heparin)",
        "got 1 row: (aspirin)",
        "missing: (heparin)",
        "unexpected: (aspirin)",
    ]


def test_trial_without_queries_shows_the_gold() -> None:
    found = explanation(explained("incre"), Trajectory([]), [])
    assert (found.attempt, found.difference) == ("", "want 1 row: (heparin)\ngot no result")


def test_adaptqa_shows_the_last_answer() -> None:
    trajectory = Trajectory(
        [Said("agent", "<answer>warfarin</answer>"), Said("agent", "<answer>aspirin</answer>")]
    )
    found = explanation(explained("adapt"), trajectory, [])
    assert found.attempt == "aspirin"
    assert "got 1 row: (aspirin)" in found.difference
