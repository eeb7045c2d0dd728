from wardround.benchmarks.chatqa.explanation import explanation
from wardround.benchmarks.chatqa.tasks import ChatHidden, ChatPublic, ChatTask, Flow
from wardround.benchmarks.chatqa.verdicts import queries_of, query_verdicts
from wardround.core.task import Task
from wardround.core.trajectory import Called, Said, Trajectory

GOLD = "SELECT name FROM drugs WHERE orders = 5"


def a_task(flow: Flow) -> ChatTask:
    hidden = ChatHidden("Find the drug.", GOLD, (("heparin",),))
    return Task("t", ChatPublic(flow, "small"), hidden)


def test_most_similar_query_is_shown_with_its_first_difference() -> None:
    sent = ["SELECT 1", "SELECT name FROM drugs WHERE orders = 3", "SELECT COUNT(*) FROM beds"]
    trajectory = Trajectory([Called("sql_execute", {"query": query}) for query in sent])
    task = a_task("incre")
    results: list[list[tuple[int | str, ...]] | None] = [[(1,)], [("aspirin",)], None]
    verdicts = [
        verdict
        for query, rows in zip(queries_of(trajectory), results, strict=True)
        for verdict in query_verdicts(task, query, rows)
    ]
    result = explanation(task, trajectory, verdicts)
    assert (result.request, result.gold, result.attempt) == ("Find the drug.", GOLD, sent[1])
    assert result.difference.splitlines() == [
        "want 1 row: (heparin)",
        "got 1 row: (aspirin)",
        "missing: (heparin)",
        "unexpected: (aspirin)",
    ]


def test_trial_without_queries_shows_the_gold() -> None:
    result = explanation(a_task("incre"), Trajectory([]), [])
    assert (result.attempt, result.difference) == ("", "want 1 row: (heparin)\ngot no result")


def test_adaptqa_shows_the_last_answer() -> None:
    trajectory = Trajectory(
        [Said("agent", "<answer>warfarin</answer>"), Said("agent", "<answer>aspirin</answer>")]
    )
    result = explanation(a_task("adapt"), trajectory, [])
    assert result.attempt == "aspirin"
    assert "got 1 row: (aspirin)" in result.difference
