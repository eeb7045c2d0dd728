"""The two checks of an ambiguous task find each defect that it can have."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tools.suites.interact_tasks.definitions import made_tasks
from wardround.authoring.interact.ambiguities.checks import (
    Judged,
    check_task,
    gold_of,
)
from wardround.authoring.interact.ambiguities.mutation import (
    all_misread,
    holes,
    misread,
    reconstructed,
)
from wardround.authoring.interact.ambiguities.spoken_values import says
from wardround.benchmarks.interact.declaration import Mode
from wardround.benchmarks.interact.tasks import (
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry
from wardround.ehr.text.numerals import in_words
from wardround.people.clarifying.secret import Ambiguity

GOLD = "SELECT COUNT(DISTINCT id) FROM t WHERE age >= 65 AND ward = 'A'"
ENTRIES = (
    KnowledgeEntry(1, "Elderly", "", "65 or older.", children=(3,)),
    KnowledgeEntry(2, "Fever", "", ""),
    KnowledgeEntry(3, "Age", "", "Days divided by 365."),
)
BASE = KnowledgeBase({entry.id: entry for entry in ENTRIES})
OLD = Ambiguity("old", "semantic", ("age >= 65",), otherwise=("age >= 80",))


def task(*ambiguities: Ambiguity, request: str = "Count the old ones.") -> InteractTask:
    first = Subtask(request, "BI", (GOLD,), knowledge=(1,))
    hidden = InteractHidden("Count those of 65 or more in A.", first, None, ambiguities)
    return interact_task("one", InteractPublic(request, "hospital"), hidden)


def judge(sql: str, mode: Mode) -> Judged:
    """Accepts the gold, and in paper mode also the gold without DISTINCT."""
    if "broken" in sql:
        return "fails"
    if sql == GOLD or "age >= 64.5" in sql:
        return "right"
    return "right" if mode == "paper" and sql == GOLD.replace("DISTINCT ", "") else "wrong"


CASES = {
    "fine": (task(OLD), []),
    "distinguished only by strict mode": (
        task(Ambiguity("c", "distinct", ("COUNT(DISTINCT id)",), otherwise=("COUNT(id)",))),
        [],
    ),
    "not distinguished in paper mode": (
        task(OLD, Ambiguity("c", "null", ("COUNT(DISTINCT id)",), otherwise=("COUNT(id)",))),
        ["every other reading is right too"],
    ),
    "without another reading": (
        task(OLD, Ambiguity("c", "semantic", ("ward = 'A'",))),
        ["it has no other reading"],
    ),
    "right all the same": (
        task(Ambiguity("old", "semantic", ("age >= 65",), otherwise=("age >= 64.5",))),
        [
            "every other reading is right too",
            "it is right with every ambiguity read otherwise",
        ],
    ),
    "does not run": (
        task(Ambiguity("old", "semantic", ("age >= 65",), otherwise=("age >= 80", "broken"))),
        ["its other reading broken does not run"],
    ),
    "not in the gold": (
        task(OLD, Ambiguity("c", "semantic", ("age >= 6",), otherwise=("age >= 7",))),
        ["every other reading is right too", "the fragment age >= 6 is not in the gold"],
    ),
    "without words": (
        task(Ambiguity("old", "semantic", (">= 65 AND",), otherwise=(">= 80 AND",))),
        ["its fragment cannot be put into words; give it a meaning"],
    ),
    "given away": (
        task(OLD, request="Count the old ones, sixty-five or more."),
        ["the request says 65, which it should hide"],
    ),
    "masked for nothing": (
        task(OLD, Ambiguity("Fever", "one-shot", ("ward = 'A'",), True, 2, "", ("ward = 'B'",))),
        ["nothing that the task needs is built on the masked entry"],
    ),
    "masked and needed": (
        task(Ambiguity("Elderly", "one-shot", ("age >= 65",), True, 1, "", ("age >= 80",))),
        [],
    ),
    "masked and not in the gold": (
        task(Ambiguity("Age", "chain", ("age >= 65",), True, 3, "", ("age >= 80",))),
        ["nothing that the masked entry's definition tells is in the gold"],
    ),
    "masked and not there": (
        task(Ambiguity("Gap", "one-shot", ("age >= 65",), True, 7, "", ("age >= 80",))),
        ["the knowledge base has no such entry"],
    ),
}


@for_each(CASES.values())
def test_each_defect_is_found(task: InteractTask, problems: list[str]) -> None:
    assert [finding.problem for finding in check_task(task, BASE, judge)] == problems


def test_gold_is_reconstructed_from_its_holes() -> None:
    for shipped in made_tasks():
        gold = gold_of(shipped)
        parts = holes(gold, shipped.hidden.ambiguities)
        assert reconstructed(parts) == gold
        assert all_misread(parts) != gold


def test_fragment_within_a_number_or_word_is_not_replaced() -> None:
    assert misread("age > 65.5 AND page > 65", "age > 65", "x") == "age > 65.5 AND page > 65"


@given(st.integers(2, 9999), st.integers(2, 9999))
def test_request_says_a_number_in_digits_or_words_and_no_other(number: int, different: int) -> None:
    digits, words = f"Those of {number} and more.", f"Those of {in_words(number)} and more."
    assert says(digits, str(different)) == (number == different)
    assert says(words, str(number))
