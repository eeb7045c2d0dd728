"""Unit tests start no process and open no connection; this file is in a folder of theirs."""

import os
import socket
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from tests.cases import for_each

PROGRAM = "/bin/true"


@for_each(
    [
        (subprocess.run, (PROGRAM,)),
        (os.system, (PROGRAM,)),
        (os.popen, (PROGRAM,)),
        (os.execv, (PROGRAM, [PROGRAM])),
        (os.execl, (PROGRAM, PROGRAM)),
        (os.execle, (PROGRAM, PROGRAM, {})),
        (os.execlp, ("true", "true")),
        (os.execvpe, ("true", ["true"], {})),
        (os.posix_spawn, (PROGRAM, [PROGRAM], {})),
        (os.posix_spawnp, ("true", ["true"], {})),
        (os.spawnv, (os.P_WAIT, PROGRAM, [PROGRAM])),
        (os.fork, ()),
        (os.forkpty, ()),
        (socket.create_connection, (("127.0.0.1", 9),)),
    ]
)
def test_a_unit_test_that_starts_a_process_or_connects_fails(
    start: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    named = getattr(os, start.__name__, start)  # as the fixture has replaced it
    with pytest.raises(AssertionError, match=r"a unit test called \w+; mark it integration"):
        named(*arguments)
