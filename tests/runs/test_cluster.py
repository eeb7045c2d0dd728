"""A run on three Ray nodes of this machine, one of which is killed in the middle."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

import pytest

from tests.runs.cluster_benchmark import ITEMS
from wardround.core.record import TrialRecord
from wardround.core.run_check import check_run
from wardround.core.run_reader import read_trajectory, read_trials, read_verdicts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not find_spec("ray"),
        reason="the extra ray is not installed: pip install 'wardround[ray]'",
    ),
]

ROOT = Path(__file__).parents[2]
NODES = {"head": "127.0.0.11", "second": "127.0.0.12", "third": "127.0.0.13"}
# Tries what a confined agent must not: a database, the environment of its worker, the cluster.
AGENT = """
import socket
from pathlib import Path
from wardround.core.actions import Say

class Spy:
    async def act(self, observation):
        node, database, port, worker = observation.text.split()
        reached = []
        for path in (database, f"/proc/{worker}/environ"):
            try:
                reached.append(f"{len(Path(path).read_bytes())} bytes of {path}")
            except OSError:
                pass
        try:
            socket.create_connection(("127.0.0.11", int(port)), 1).close()
            reached.append("the cluster")
        except OSError:
            pass
        return Say(" and ".join(reached) or "nothing")

def open_agents(model):
    return lambda briefing, context: Spy()
"""


def free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.11", 0))
        port: int = taken.getsockname()[1]
        return port


class Cluster:
    """Nodes that end with all their processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"{NODES['head']}:{self.port}"
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}",
            "CLUSTER_PORT": str(self.port),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, node: str, *options: str) -> None:
        place = [f"--address={self.address}"] if node != "head" else ["--head"]
        if node == "head":
            place += [f"--port={self.port}", "--include-dashboard=false"]
            place += [f"--temp-dir={self.folder}/ray"]
        words = [*place, f"--node-ip-address={NODES[node]}", "--num-cpus=1", "--block"]
        environment = {"NODE": node, "XDG_CACHE_HOME": str(self.folder / node)}
        program = str(Path(sys.executable).parent / "ray")
        with (self.folder / f"{node}.log").open("wb") as log:
            self._processes[node] = subprocess.Popen(
                [program, "start", *words, "--object-store-memory=80000000", *options],
                env=self.environment | environment,
                cwd=self.folder,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._wait_for(node)

    def kill(self, node: str) -> None:
        process = self._processes.pop(node)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for node in [*self._processes]:
            self.kill(node)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "wardround", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*words),
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=240,
        )

    def _wait_for(self, node: str) -> None:
        log = self.folder / f"{node}.log"
        deadline = time.monotonic() + 120
        while "Ray runtime started" not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)


@contextmanager
def made_cluster() -> Iterator[Cluster]:
    """A cluster in a folder of a short name: the path of a socket has 107 bytes at most."""
    with TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder:
        made = Cluster(Path(folder))
        try:
            yield made
        finally:
            made.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    assert which("ray", path=str(Path(sys.executable).parent))
    with made_cluster() as made:
        (made.folder / "ward.db").write_bytes(b"12 beds" * 3_000_000)  # more than two chunks
        (made.folder / "spy.py").write_text(AGENT)
        made.start("head", "--disable-usage-stats")
        made.start("second")
        made.start("third")
        yield made


RUN = (
    "run",
    "tests.runs.cluster_benchmark:ClusterBenchmark",
    "--database=ward=ward.db",
    "--concurrency=6",
)

# So long that each node opens the run before others have played all of it.
SPY = ("--agent=spy:open_agents", "--trials=30")


def nodes_of(run: Path, records: list[TrialRecord]) -> Counter[str]:
    """The number of trials by the node that played them."""
    trajectories = (read_trajectory(run, record.trajectory) for record in records)
    return Counter(each.said_by("ward")[0].split()[0] for each in trajectories)


def test_a_confined_agent_plays_on_every_node_and_reaches_nothing(cluster: Cluster) -> None:
    ran = cluster.run(*RUN, *SPY, f"--cluster={cluster.address}", "--out=spy")
    assert ran.returncode == 0, ran.stderr
    run = cluster.folder / "spy"
    records = read_trials(run)
    assert Counter(str(record.outcome) for record in records) == {"passed": 600}
    assert nodes_of(run, records).keys() == NODES.keys()
    for node in NODES:  # each has a copy of its own
        [copy] = (cluster.folder / node).rglob("ward.db")
        assert copy.read_bytes() == (cluster.folder / "ward.db").read_bytes()
        assert copy.stat().st_mode & 0o077 == 0


def test_an_unconfined_agent_would_have_reached_all_of_it(cluster: Cluster) -> None:
    words = ["--agent=spy:open_agents", "--unconfined", "--limit=1", "--out=open"]
    ran = cluster.run(*RUN, *words, f"--cluster={cluster.address}")
    assert ran.returncode == 0, ran.stderr
    [record] = read_trials(cluster.folder / "open")
    [said] = read_trajectory(cluster.folder / "open", record.trajectory).said_by("agent")
    assert "ward.db" in said, said
    assert "the cluster" in said


def test_another_database_on_a_node_is_refused(cluster: Cluster) -> None:
    words = [*RUN, "--agent=oracle", f"--cluster={cluster.address}", "--trials=40"]
    sent = cluster.run(*words, "--out=sent")
    assert sent.returncode == 0, sent.stderr
    [copy] = (cluster.folder / "second").rglob("ward.db")
    before = copy.read_bytes()
    copy.write_bytes(b"13 beds")
    try:
        ran = cluster.run(*words, "--out=refused")
    finally:
        copy.write_bytes(before)
    assert ran.returncode == 2
    assert "another databases than this machine" in ran.stderr


def test_a_killed_node_loses_no_trial_and_repeats_none(cluster: Cluster) -> None:
    run = cluster.folder / "killed"
    words = [*RUN, "--agent=oracle", "--trials=40", f"--out={run}"]
    process = subprocess.Popen(
        cluster.command(*words, f"--cluster={cluster.address}"),
        env=cluster.environment,
        cwd=cluster.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    trials = run / "trials.jsonl"
    deadline = time.monotonic() + 120
    while not trials.exists() or trials.read_bytes().count(b"\n") < 200:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    cluster.kill("third")
    _, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    records = read_trials(run)
    expected = {(f"w{task}", trial) for task in range(20) for trial in range(40)}
    assert len(trials.read_bytes().splitlines()) == len(records) == len(expected)
    assert {record.key for record in records} == expected
    assert Counter(str(record.outcome) for record in records) == {"passed": len(expected)}
    verdicts = Counter((line.task, line.trial, line.verdict.item) for line in read_verdicts(run))
    assert verdicts == dict.fromkeys(((*key, item) for key in expected for item in ITEMS), 1)
    assert check_run(run).mismatches == ()
    nodes = nodes_of(run, records)
    assert nodes.keys() == NODES.keys()
    assert nodes["third"] < nodes["second"]


def test_a_run_goes_on_without_the_cluster(cluster: Cluster) -> None:
    words = ["--agent=oracle", "--out=half", "--limit=4"]
    assert cluster.run(*RUN, *words, f"--cluster={cluster.address}").returncode == 0
    resumed = cluster.run("resume", "half", "--cluster=none", "--retry=passed")
    assert resumed.returncode == 0, resumed.stderr
    run = cluster.folder / "half"
    assert nodes_of(run, read_trials(run)) == {"none": 4}


def test_a_cluster_that_sends_usage_statistics_is_refused() -> None:
    """Its statistics go to a closed port of this machine."""
    with made_cluster() as sender:
        sender.environment["RAY_USAGE_STATS_ENABLED"] = "1"
        sender.environment["RAY_USAGE_STATS_REPORT_URL"] = "http://127.0.0.1:9"
        (sender.folder / "ward.db").write_bytes(b"12 beds")
        sender.start("head")
        ran = sender.run(*RUN, "--agent=oracle", f"--cluster={sender.address}", "--out=refused")
        assert ran.returncode == 2
        assert "sends usage statistics" in ran.stderr
        assert not (sender.folder / "refused").exists()
