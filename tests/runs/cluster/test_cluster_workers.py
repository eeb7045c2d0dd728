"""Lost workers: their jobs go to others, three times at most."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.runs.test_workers import played, task
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Trajectory
from wardround.core.trial import Attempt, FinishedTrial
from wardround.core.verdict import Verdict
from wardround.runs.cluster import nodes
from wardround.runs.cluster.nodes import Cluster
from wardround.runs.cluster.worker import Assignment
from wardround.runs.settings import RunSettings

SETTINGS = RunSettings(
    benchmark="tests.runs.cluster_benchmark:ClusterBenchmark", agent="oracle", seed=3
)
ASSIGNMENT = Assignment(lambda *_: None, SETTINGS, Path("run"), {}, (), {}, {})  # type: ignore[arg-type]


class NodeDiedError(Exception):
    """The node of an actor died."""


class Remote:
    """A method of an actor, as Ray has them: called by `remote`, its result awaited later."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.remote = method


class Actor:
    """A worker whose jobs end as a plan of its cluster says."""

    def __init__(self, plan: Iterator[str], refusal: UserError | None) -> None:
        self._plan, self._refusal = plan, refusal
        self.node, self.open = Remote(self._node), Remote(self._opened)
        self.carry_out = Remote(self._carry_out)

    async def _node(self) -> str:
        return "node"

    async def _opened(self, run: Assignment) -> UserError | None:
        return self._refusal

    async def _carry_out(self, job: tuple[Any, ...]) -> AsyncIterator[Awaitable[tuple[str, Any]]]:
        ending = next(self._plan)
        if job[0] == "judge":
            known = len(job[2])
            for number in range(known, 3):
                if ending == "dies" and number == known + 1:
                    raise NodeDiedError
                verdict = Verdict(f"leaf {number}", "model:judge", "passed")
                yield done("verdict", (verdict, ()))
            yield done("answer", "")
        elif ending == "dies":
            raise NodeDiedError
        elif ending == "mistake":
            yield done("error", UserError("the key is wrong"))
        else:
            trial = FinishedTrial(job[1], job[2], 7, (Attempt(Trajectory()),), 0.0)
            yield done("answer", trial)


async def done(kind: str, content: object) -> tuple[str, Any]:
    return kind, content


@asynccontextmanager
async def cluster(*plan: str, refusal: UserError | None = None) -> AsyncIterator[Cluster]:
    """A cluster of two workers, whose jobs end as planned."""
    endings = iter(plan)
    made = Cluster(
        ASSIGNMENT, lambda: Actor(endings, refusal), lambda actor: None, (NodeDiedError,)
    )
    keepers = [asyncio.create_task(made.keep_worker()) for _ in range(2)]
    try:
        await made.ready()
        yield made
    finally:
        for keeper in keepers:
            keeper.cancel()


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "_PAUSE", 0.0)


async def test_the_trial_of_a_lost_worker_is_played_by_another() -> None:
    async with cluster("dies", "dies", "plays") as trials:
        trial = await trials.play(task("t"), 4)
    assert (trial.task.id, trial.trial, trial.last.outcome) == ("t", 4, None)


async def test_a_trial_that_ends_its_workers_ends_as_infra_error() -> None:
    async with cluster("dies", "dies", "dies", "plays") as trials:
        lost = await trials.play(task("t"), 0)
        after = await trials.play(task("next"), 1)
    assert lost.last.outcome is Outcome.INFRA_ERROR
    assert lost.last.reason == "the 3 workers that ran it died"
    assert lost.seed == derive_seed(3, "t", 0)
    assert after.last.outcome is None


async def test_a_judge_goes_on_after_the_verdicts_of_a_lost_worker() -> None:
    received: list[str] = []

    def keep(verdict: Verdict, requests: Sequence[Any]) -> None:
        received.append(verdict.item)

    async with cluster("dies", "judges") as trials:
        assert await trials.judge(played("t"), (), keep) == ""
    assert received == ["leaf 0", "leaf 1", "leaf 2"]


async def test_wrong_settings_are_raised() -> None:
    async with cluster("mistake") as trials:
        with pytest.raises(UserError, match="the key is wrong"):
            await trials.play(task("t"), 0)


async def test_a_node_that_cannot_take_part_ends_the_start() -> None:
    with pytest.raises(UserError, match="another version"):
        async with cluster(refusal=UserError("A node has another version.")):
            pass


@pytest.mark.parametrize("address", ["127.0.0.1:9", "127.0.0.1", "ray://no-such-host.invalid:1"])
async def test_an_address_without_a_cluster_is_one_sentence_at_once(address: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(UserError, match=f"No Ray cluster was found at {address}"):
        async with nodes.spread(address, ASSIGNMENT):
            pass
