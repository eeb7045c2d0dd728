"""Messages: complete, in parts, too large, too late, and with malicious pickles."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from socket import socket, socketpair
from threading import Thread
from time import monotonic

import pytest

from wardround.sandbox.messages import OversizedError, receive, receive_body, send, send_body


@pytest.fixture
def ends() -> Iterator[tuple[socket, socket]]:
    ours, theirs = socketpair()
    with ours, theirs:
        yield ours, theirs


def test_plain_data_round_trips(ends: tuple[socket, socket]) -> None:
    message = (1, "ä", b"\0", None, 1.5, [("a", 2)], {"key": (True,)})
    send(ends[0], *message)
    assert receive(ends[1], seconds=5) == message


def test_large_message_round_trips(ends: tuple[socket, socket]) -> None:
    body = bytes(range(256)) * 20_000
    sender = Thread(target=send_body, args=(ends[0], body))
    sender.start()
    assert receive_body(ends[1], deadline=monotonic() + 20) == body
    sender.join()


def test_message_with_code_is_refused(ends: tuple[socket, socket], tmp_path: Path) -> None:
    class Touch:
        def __reduce__(self) -> tuple[object, ...]:
            return Path.touch, (tmp_path / "touched",)

    send_body(ends[0], pickle.dumps((Touch(),)))
    with pytest.raises(pickle.UnpicklingError, match="not plain data"):
        receive(ends[1])
    assert not (tmp_path / "touched").exists()


def test_closed_and_silent_peers_are_distinguished(ends: tuple[socket, socket]) -> None:
    with pytest.raises(TimeoutError):
        receive(ends[1], seconds=0.01)
    with pytest.raises(TimeoutError):
        receive_body(ends[1], deadline=monotonic())
    ends[0].sendall(b"\0\0")
    ends[0].close()
    with pytest.raises(EOFError):
        receive(ends[1], seconds=5)


def test_oversized_body_is_not_read(ends: tuple[socket, socket]) -> None:
    send_body(ends[0], b"x" * 101)
    with pytest.raises(OversizedError):
        receive_body(ends[1], most_bytes=100)
