"""Statements that try to write, to leave the database or to exhaust resources, on every engine.

The statements and expected answers are in attacks.txt and workspace_attacks.txt.
"""

from collections.abc import Iterator
from time import monotonic

import pytest

from tests.cases import for_each
from tests.ehr.database.attacks import (
    CANARY,
    MEMORY,
    Attack,
    Ward,
    open_ward,
    peak_bytes,
    read_attacks,
)
from tests.ehr.database.engines import ENGINES, needs
from wardround.ehr.database import Workspace

# Memory of an engine's process before its first statement, and the delay of a busy machine.
_OWN_BYTES = 200 << 20
_SLACK_SECONDS = 10


ATTACKS = list(read_attacks("attacks.txt"))
# Of the attacks that a limit stops on an engine first, one in eight; the others are slow.
FEW_LATE = {
    engine: [attack for attack in ATTACKS if attack.is_first_to_stop_late(engine)][::8]
    for engine in ENGINES
}
ON_WORKSPACES = list(read_attacks("workspace_attacks.txt"))


@pytest.fixture(scope="module", params=[pytest.param(each, marks=needs(each)) for each in ENGINES])
def ward(request: pytest.FixtureRequest) -> Iterator[Ward]:
    with open_ward(request.param) as opened:
        yield opened
        assert opened.is_untouched()


@pytest.fixture(scope="module")
def workspace(ward: Ward) -> Iterator[Workspace]:
    opened = ward.database.writable()
    yield opened
    assert opened.fingerprint() == ward.database.fingerprint()
    opened.close()


@for_each(ATTACKS)
def test_attack_is_stopped_and_leaves_no_trace(attack: Attack, *, ward: Ward) -> None:
    if not attack.is_stopped_late(ward.engine) or attack in FEW_LATE[ward.engine]:
        assert_stopped_without_trace(attack, ward)


@pytest.mark.slow
@for_each(ATTACKS)
def test_any_attack_that_a_limit_stops_is_stopped(attack: Attack, *, ward: Ward) -> None:
    if attack.is_stopped_late(ward.engine) and attack not in FEW_LATE[ward.engine]:
        assert_stopped_without_trace(attack, ward)


def assert_stopped_without_trace(attack: Attack, ward: Ward) -> None:
    began = monotonic()
    kind, answer = ward.answer(attack)
    assert monotonic() - began < attack.seconds(ward.engine) + _SLACK_SECONDS
    assert kind in attack.kinds[ward.engine].split("/")
    assert CANARY not in str(answer)
    # What is refused before it runs is looked for at the end, since looking takes longer.
    if kind not in ("denied", "syntax"):
        assert ward.is_untouched()
        assert peak_bytes(ward) < MEMORY + _OWN_BYTES


@for_each(ON_WORKSPACES)
def test_attack_in_a_workspace_stays_there(
    attack: Attack, *, ward: Ward, workspace: Workspace
) -> None:
    kind, answer = ward.answer(attack, workspace)
    assert kind in attack.kinds[ward.engine].split("/")
    assert CANARY not in str(answer)
    # What is refused before it runs is looked for at the end, as above.
    if kind not in ("denied", "syntax"):
        assert ward.is_untouched()
        workspace.reset()
        assert workspace.fingerprint() == ward.database.fingerprint()


def test_attacks_differ() -> None:
    statements = [attack.statement for attack in ATTACKS]
    assert len(statements) == len(set(statements))
    assert len(statements) == 450
