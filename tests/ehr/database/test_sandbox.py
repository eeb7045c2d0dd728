"""Statements that try to write, leave the database or use it up; on every engine alike.

The statements and what each engine answers are in attacks.txt.
"""

from collections.abc import Iterator
from time import monotonic

import pytest

from tests.ehr.database.attacks import (
    CANARY,
    DEADLINE,
    MEMORY,
    Attack,
    Ward,
    open_ward,
    peak_bytes,
    read_attacks,
)
from tests.ehr.database.engines import ENGINES, needs

# What an engine's process holds before its first statement, and what a busy machine delays.
_OWN_BYTES = 200 << 20
_SLACK_SECONDS = 5

_CASES = [
    pytest.param(engine, attack, id=f"{engine}-{attack.name}", marks=needs(engine))
    for engine in ENGINES
    for attack in read_attacks()
]


@pytest.fixture(scope="module")
def ward(request: pytest.FixtureRequest) -> Iterator[Ward]:
    with open_ward(request.param) as opened:
        yield opened


@pytest.mark.parametrize(("ward", "attack"), _CASES, indirect=["ward"], scope="module")
def test_attack_is_stopped_and_leaves_no_trace(ward: Ward, attack: Attack) -> None:
    expected = attack.kinds[ward.engine]
    seconds = DEADLINE if "timeout" in expected else 20.0
    began = monotonic()
    kind, table = ward.answer(attack, seconds)
    assert monotonic() - began < seconds + _SLACK_SECONDS
    assert kind in expected.split("/")
    assert CANARY not in str(table)
    assert ward.is_untouched()
    assert peak_bytes() < MEMORY + _OWN_BYTES


def test_attacks_differ() -> None:
    statements = [attack.statement for attack in read_attacks()]
    assert len(statements) == len(set(statements))
    assert len(statements) >= 120
