"""Submissions that write what is wrong, or what nobody asked for."""

from pathlib import Path

from tests.cases import for_each
from wardround.benchmarks.interact.failures.causes import writes, wrote_wrongly
from wardround.core.verdict import Verdict, state_of

LINES = Path(__file__).with_name("writes.tsv").read_text("utf-8").splitlines()[2:]
CASES = [tuple(line.split("\t")) for line in LINES]
MEANT = {"yes": True, "no": False, "unknown": None}

CHANGE, QUESTION = ("UPDATE visits SET ward = 'B' WHERE id = 3",), ("SELECT ward FROM visits",)
DELETE, READ = "DELETE FROM visits", "SELECT 1"
STATE = "What the statements leave in the database is not what was wanted."
ERROR = 'relation "visit" does not exist'


@for_each(CASES)
def test_statements_write_or_read(written: str, sql: str) -> None:
    assert writes(sql) is MEANT[written]


@for_each(
    [
        (CHANGE, CHANGE[0], "", True, False),
        (CHANGE, DELETE, STATE, False, True),
        (CHANGE, READ, STATE, False, False),
        (CHANGE, "DELETE FROM visit", ERROR, False, False),
        (CHANGE, f"{DELETE}; SELECT * FROM visit", ERROR, False, None),
        (CHANGE, "CALL tidy()", STATE, False, None),
        (QUESTION, QUESTION[0], "", True, False),
        (QUESTION, f"{DELETE}; {QUESTION[0]}", "", True, True),
        (QUESTION, "CREATE TEMP TABLE t AS SELECT 1", STATE, False, False),
    ]
)
def test_a_wrong_write_is_another_one_than_was_asked_for(
    gold: tuple[str, ...], sql: str, reason: str, is_right: bool, is_wrong: bool | None
) -> None:
    verdict = Verdict("submission 1", "program:paper", state_of(not reason), reason=reason)
    assert wrote_wrongly([(gold, sql, verdict, is_right)]) is is_wrong


def test_one_wrong_write_is_enough() -> None:
    right = Verdict("submission 2", "program:paper", "passed")
    wrong = Verdict("submission 1", "program:paper", "failed", reason=STATE)
    unknown = (CHANGE, "CALL tidy()", wrong, False)
    tries = [unknown, (CHANGE, DELETE, wrong, False), (CHANGE, CHANGE[0], right, True)]
    assert wrote_wrongly(tries) is True
    assert wrote_wrongly([unknown, tries[2]]) is None
    assert wrote_wrongly([]) is False
