from wardround.core.trajectory import Called, Noted, Requested, Returned, Said, Trajectory
from wardround.report.trace import trace, turns

TRAJECTORY = Trajectory(
    [
        Said("user", "How many?"),
        Requested("agent", "openai:gpt", 1200, 30, 0.002, 1.5, retries=2, cached=True),
        Called("sql_execute", {"query": "SELECT COUNT(*)\nFROM drugs", "k": 5}),
        Returned("sql_execute", "\n".join(f"row {n}" for n in range(20))),
        Noted("verifier", {"verdict": "pass"}),
        Said("agent", "\x1b[2JTen.\x07"),
    ]
)


def test_events_are_shown_in_order() -> None:
    kinds = [(turn.kind, turn.who) for turn in turns(TRAJECTORY)]
    assert kinds == [
        ("said", "user"),
        ("requested", "agent"),
        ("called", "sql_execute"),
        ("returned", "sql_execute"),
        ("noted", "verifier"),
        ("said", "agent"),
    ]


def test_text_for_the_terminal() -> None:
    assert trace(TRAJECTORY, lines=2).splitlines() == [
        "user:",
        "    How many?",
        "agent asks a model:",
        "    openai:gpt: 1,200 tokens in, 30 out, $0.002000, 1.5 s, 2 retries, cached",
        "agent calls sql_execute:",
        "    query: SELECT COUNT(*)",
        "    FROM drugs",
        "    … 1 more line",
        "sql_execute returns:",
        "    row 0",
        "    row 1",
        "    … 18 more lines",
        "verifier:",
        "    verdict: pass",
        "agent:",
        "    \ufffd[2JTen.\ufffd",
    ]
