"""The process that confines itself and then executes an agent.

Only a fresh process may map its user, and this one ends the agent with its descendants. It imports
little, and neither `typing` nor `contextlib`, because every start of an agent waits for it.
"""

import os
import resource
import signal
import sys
from select import POLLIN, poll

from wardround.sandbox import landlock, namespaces
from wardround.sandbox.privileges import drop_privileges, prctl
from wardround.sandbox.process_tree import descendants, memory
from wardround.sandbox.seccomp import agent_filter, install

FAILED = 125  # exit code if the agent cannot be confined
OVERFULL = 124  # exit code if its scratch folder has grown too large
CROWDED = 123  # exit code if it has started too many processes and threads
OVERSIZED = 122  # exit code if it holds too much memory
MOST_PROCESSES = 4096
SCRATCH_BYTES = 256 << 20
_SET_DEATH_SIGNAL, _SET_DUMPABLE, _SET_SUBREAPER = 1, 4, 36
_WATCH_MILLISECONDS = 100
_WRITABLE_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_BLOCK = 512


def main() -> None:
    """Confine this process as its arguments say, and execute the agent after `--`."""
    end = sys.argv.index("--")
    words: dict[str, list[str]] = {}
    for word in sys.argv[1:end]:
        key, _, value = word.partition("=")
        words.setdefault(key, []).append(value)
    try:
        status = _Confined(words, sys.argv[end + 1 :]).run()
    except OSError as error:
        print(f"The process cannot be confined ({error}).", file=sys.stderr)
        status = FAILED
    os._exit(status)


class _Confined:
    """A process that is confined.

    Args:
        words: The arguments by key; see `confinement.confined_command`.
        command: The command; empty to try the confinement only.
    """

    def __init__(self, words: dict[str, list[str]], command: list[str]) -> None:
        self._words = words
        self._command = command
        self._network = "net" in words
        self._namespaces = "namespaces" in words
        self._landlock = int(words["landlock"][0])
        self._scratch = words["scratch"][0]

    def run(self) -> int:
        """Confine it; returns the exit code of the agent, 128 and more for a signal."""
        signal.signal(signal.SIGTERM, _end_group)
        prctl(_SET_DEATH_SIGNAL, signal.SIGTERM)
        if os.getppid() != int(self._words["parent"][0]):
            return FAILED
        self._limit()
        if self._namespaces:
            namespaces.enter(network=self._network)
            process = os.fork()
            return _waited(process) if process else self._run_as_first()
        prctl(_SET_SUBREAPER, 1)
        process = os.fork()
        if not process:
            self._restrict()
            self._execute()
        prctl(_SET_DUMPABLE, 0)
        return self._watched(process) if self._command else _waited(process)

    def _run_as_first(self) -> int:
        """Runs as the first process of the namespace; its end ends all others."""
        words = self._words
        namespaces.build_root(
            words.get("read", ()),
            words.get("write", ()),
            zip(words.get("link", ()), words.get("target", ()), strict=True),
            words.get("hidden", ()),
            SCRATCH_BYTES,
        )
        self._restrict()
        process = os.fork()
        if not process:
            self._execute()
        return self._watched(process) if self._command else _waited(process)

    def _limit(self) -> None:
        """Limit memory and files, and let the system end the agent first if memory runs out."""
        # One byte also keeps a dump from a program that the system would hand it to.
        limits = {resource.RLIMIT_CORE: 1, resource.RLIMIT_DATA: _most_memory()}
        if self._namespaces:
            limits[resource.RLIMIT_NPROC] = MOST_PROCESSES
        elif "write" not in self._words:
            limits[resource.RLIMIT_FSIZE] = SCRATCH_BYTES
        for which, most in limits.items():
            _, hard = resource.getrlimit(which)
            least = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(which, (least, least))
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 - slow to import
            file.write("1000")

    def _restrict(self) -> None:
        """Give up capabilities, files and system calls, irrevocably."""
        calls = agent_filter(
            network=self._network, namespaces=self._namespaces, landlock=self._landlock
        )
        drop_privileges()
        os.chdir(self._scratch)
        if self._landlock:
            self._restrict_files()
        install(calls)

    def _restrict_files(self) -> None:
        words = self._words
        alone = not self._namespaces
        shared = () if alone else (namespaces.SHARED_MEMORY,)
        landlock.restrict(
            words.get("read", ()) if alone else ("/",),
            (self._scratch, *shared, *_WRITABLE_DEVICES, *words.get("write", ())),
            hidden=words.get("hidden", ()) if alone else (),
            network=self._network,
            version=self._landlock,
        )

    def _execute(self) -> None:
        if not self._command:
            os._exit(0)
        for number in (signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ):  # as before Python began
            signal.signal(number, signal.SIG_DFL)
        os.execv(self._command[0], self._command)  # noqa: S606 - no shell is wanted

    def _watched(self, process: int) -> int:
        """Wait for a process; end it if it and its descendants exceed a limit."""
        waiting = poll()
        waiting.register(os.pidfd_open(process), POLLIN)
        while not waiting.poll(_WATCH_MILLISECONDS):
            if excess := self._excess():
                os.kill(process, signal.SIGKILL)
                _waited(process)
                return excess
        return _waited(process)

    def _excess(self) -> int:
        """The exit code of the limit that the agent exceeds; 0 if it exceeds none."""
        if not self._namespaces and _is_overfull(self._scratch):
            return OVERFULL
        processes, threads = descendants(os.getpid(), MOST_PROCESSES)
        if threads > MOST_PROCESSES:
            return CROWDED
        most = _most_memory()
        return OVERSIZED if memory(processes, most) > most else 0


def _most_memory() -> int:
    """The bytes of memory that the agent may hold: half of the machine's."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


def _end_group(number: int, frame: object) -> None:
    """End all processes of this group when wardround has ended."""
    os.killpg(0, signal.SIGKILL)


def _waited(process: int) -> int:
    """Wait for a process, and collect orphans meanwhile."""
    while True:
        ended, status = os.wait()
        if ended == process:
            code = os.waitstatus_to_exitcode(status)
            return 128 - code if code < 0 else code


def _is_overfull(folder: str) -> bool:
    """True if a folder holds more than is allowed, or cannot be measured."""
    total, folders = 0, [folder]
    try:
        while folders and total <= SCRATCH_BYTES:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    try:
                        total += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                    except FileNotFoundError:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return total > SCRATCH_BYTES
