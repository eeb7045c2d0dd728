import re
from dataclasses import replace
from html.parser import HTMLParser

from tests.records import trial_record
from wardround.core.benchmark import Summary, Table
from wardround.core.conversation import Conversation, Exchange, GradedItem, Line, Wording
from wardround.core.figures import Curve
from wardround.core.record import ByteRange, Outcome, RejectedAttempt, TrialRecord
from wardround.core.trajectory import Called, Returned, Said, Trajectory
from wardround.core.verdict import Verdict
from wardround.report.html import MOST_CHARACTERS, MOST_DETAILED, ReportInput, render_html

NASTY = "<script>alert('x')</script>"
SUMMARY = Summary(
    {
        "short": Table("Short", ("Flow", "SR", "SR low", "SR high"), ((NASTY, 73.3, 65.1, 80.2),)),
        "long": Table("Long", ("k",), tuple((n,) for n in range(40)), "A note."),
    },
    {"c": Curve(NASTY, "k", "%", {NASTY: ((1.0, 50.0),)})},
)


class Page(HTMLParser):
    """Collects a page's tags, ids, links and text, and checks that tags are closed in order."""

    VOID = ("meta", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def attributes(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]


def a_trial(n: int, outcome: Outcome) -> TrialRecord:
    return trial_record(
        f"task-{n // 5}",
        n % 5,
        outcome,
        seed=n,
        reason=f"because {NASTY}",
        scores={"paper": 1.0, "strict": 0.0},
        labels={"flow": "incre"},
        trajectory=ByteRange(n, 0),
        rejected=(RejectedAttempt(f"the user said {NASTY}", ByteRange(0, 0)),),
    )


def trajectory_of(trial: TrialRecord) -> Trajectory:
    return Trajectory(
        [
            Said("user", f"{NASTY} in {trial.task}, {trial.trial}"),
            Called("sql_execute", {"query": NASTY}),
            Returned("sql_execute", "z" * (MOST_CHARACTERS + 1234)),
        ]
    )


def page_of(*outcomes: Outcome) -> str:
    trials = [a_trial(n, outcome) for n, outcome in enumerate(outcomes)]
    settings = {
        "benchmark": "triage",
        "agent": NASTY,
        "grading": "strict",
        "limits": {"actions": 30},
    }
    return render_html(ReportInput(settings, SUMMARY, trials, trajectory_of))


def test_page_is_valid_and_self_contained() -> None:
    text = page_of(*Outcome)
    page = Page(text)
    assert not page.attributes("src")
    assert all(link.startswith("#") for link in page.attributes("href"))
    assert not re.search(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text)


def test_run_text_is_escaped() -> None:
    text = page_of(Outcome.FAILED)
    assert NASTY not in text
    assert text.count("<script>") == 1


def test_all_trials_of_a_small_run_are_shown() -> None:
    text = page_of(*Outcome)
    page = Page(text)
    anchors = [attrs["id"] for tag, attrs in page.tags if tag == "details" and "id" in attrs]
    # Passed trials come last.
    assert anchors == [f"task-0.{n}" for n in (1, 2, 3, 4, 0)]
    assert set(page.attributes("href")) == {f"#{anchor}" for anchor in anchors}
    assert "All trials are shown." in text


def test_large_run_shows_failed_trials_first() -> None:
    count = MOST_DETAILED + 30
    page = Page(text := page_of(*[Outcome.PASSED] * (count - 1), Outcome.FAILED))
    anchors = [attrs["id"] for tag, attrs in page.tags if tag == "details" and "id" in attrs]
    assert len(anchors) == MOST_DETAILED
    assert anchors[0] == f"task-{(count - 1) // 5}.{(count - 1) % 5}"
    assert f"{MOST_DETAILED} trials are shown, failed ones first; 30 are left out" in text


def test_the_page_opens_with_reliability_and_the_failed_tasks() -> None:
    text = page_of(*[Outcome.PASSED] * 7, Outcome.FAILED, Outcome.PASSED, Outcome.PASSED)
    places = [
        text.index("1 of 2 tasks was right in all 5 trials by the strict grading"),
        text.index("<h2>Failed tasks</h2>"),
        text.index('<a href="#task-1.2">task-1</a>'),
        text.index('<td class="number">1 of 5</td>'),
        text.index("<h2>Results</h2>"),
    ]
    assert places == sorted(places)


def test_failed_tasks_are_grouped_by_cause_with_the_words_of_their_request() -> None:
    trials = [
        replace(a_trial(5 * n, Outcome.FAILED), reason=f"no row in {n}" if n else "wrong by 2")
        for n in range(13)
    ]
    read = lambda trial: Trajectory([Said("user", f"How many beds has ward {trial.task}?")])  # noqa: E731
    settings = {"benchmark": "triage", "grading": "strict"}
    text = render_html(ReportInput(settings, SUMMARY, trials, read))
    causes = re.findall(
        r"<h3>(No row in N|Wrong by 2) <span class=\"quiet\">(\d+) tasks?</span>", text
    )
    assert causes == [("No row in N", "12"), ("Wrong by 2", "1")]
    assert "<td>How many beds has ward task-3?</td>" in text
    assert text.count("<summary>2 more</summary>") == 1


def test_the_title_names_agent_model_database_and_date() -> None:
    settings = {
        "benchmark": "triage",
        "grading": "strict",
        "agent": "tools",
        "models": {"agent": {"name": "openai:small"}},
        "databases": {"ward": "1f", "icu": "2e"},
        "started": "2026-11-05T23:30:00+00:00",
    }
    text = render_html(ReportInput(settings, SUMMARY, [a_trial(0, Outcome.PASSED)], trajectory_of))
    title = "triage: agent tools, model openai:small, databases ward, icu, 5 November 2026"
    assert f"<title>{title}</title>" in text
    assert f"<h1>{title}</h1>" in text


def test_without_text_page_has_no_messages_or_results() -> None:
    trials = [a_trial(n, outcome) for n, outcome in enumerate(Outcome)]
    secret = "Mrs Miller"
    read_trajectory = lambda trial: Trajectory([Said("user", secret)])  # noqa: E731
    names = [
        replace(trial, rejected=(RejectedAttempt(secret, ByteRange(0, 0)),)) for trial in trials
    ]
    report = ReportInput(
        {"benchmark": "triage", "grading": "strict"}, SUMMARY, names, read_trajectory
    )
    assert secret in render_html(report)
    assert secret not in render_html(report, with_text=False)


def test_uninformative_tables_and_figures_are_not_drawn() -> None:
    empty = Table("Nothing", ("Flow", "SR"), (("all", None),))
    summary = Summary(
        {**SUMMARY.tables, "nothing": empty},
        {**SUMMARY.figures, "blank": Curve("Blank", "k", "%", {"a": ()})},
    )
    settings = {"benchmark": "triage", "grading": "strict"}
    text = render_html(ReportInput(settings, summary, [a_trial(0, Outcome.PASSED)], trajectory_of))
    assert "Empty, or the same in every row: Nothing." in text
    assert "Blank" not in text


def test_figures_settings_and_denominator_are_shown() -> None:
    text = page_of(Outcome.PASSED, Outcome.FAILED, Outcome.INFRA_ERROR)
    assert "3 trials of 1 tasks; rates are over the 2 scored trials" in text
    assert '73.3 <span class="interval">[65.1, 80.2]</span>' in text
    assert "<dt>limits.actions</dt><dd>30</dd>" in text
    assert "A note." in text


def test_long_text_is_cut_with_a_note() -> None:
    text = page_of(Outcome.FAILED)
    assert "z" * (MOST_CHARACTERS + 1) not in text
    assert "… 1,234 more characters" in text


def test_the_same_run_gives_the_same_page() -> None:
    assert page_of(*Outcome) == page_of(*Outcome)


def a_conversation() -> Conversation:
    verdicts = (
        Verdict("turn0:0", "program:checks", "failed", reason=f"no {NASTY}"),
        Verdict("turn0:0", "model:judge", "passed", reason="it does"),
    )
    exchange = Exchange(
        f"Turn 1 {NASTY}",
        (Wording("implicit question", (f"And {NASTY}?", "那超声呢？")),),
        (Line("said", "physician", NASTY), Line("called", "search", NASTY)),
        (GradedItem((f"Says {NASTY}", "说明"), verdicts), GradedItem(("Open", "未定"), ())),
        f"Shown {NASTY}",
    )
    return Conversation(("en", "zh"), (exchange,))


def test_a_trial_is_shown_as_a_conversation_where_its_benchmark_gives_one() -> None:
    settings = {"benchmark": "triage", "grading": "strict"}
    trials = [a_trial(0, Outcome.PASSED)]
    report = ReportInput(
        settings, SUMMARY, trials, trajectory_of, conversation=lambda record: a_conversation()
    )
    text = render_html(report)
    Page(text)
    assert NASTY not in text
    assert '<td lang="zh">那超声呢？</td>' in text
    places = [text.index(each) for each in ("✕ failed", "program:checks: failed", "model:judge")]
    assert places == sorted(places)
    assert "? undecided" in text
    assert "What the judge was shown" in text
    assert "<summary>All events</summary>" in text
    assert "All events" not in render_html(report, with_text=False)


def test_notices_are_shown() -> None:
    settings = {"benchmark": "triage", "grading": "strict"}
    trials = [a_trial(0, Outcome.PASSED)]
    text = render_html(
        ReportInput(settings, SUMMARY, trials, trajectory_of, notices=["For members."]),
        with_text=False,
    )
    assert "<b>For members.</b>" in text
