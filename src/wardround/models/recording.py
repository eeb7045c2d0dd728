"""Recorded exchanges in a JSONL file, which replace the provider in later runs."""

import os
from dataclasses import replace
from pathlib import Path

import orjson
from pydantic import ValidationError

from wardround.core.errors import InfraError, UserError
from wardround.core.private_files import PRIVATE_FILE
from wardround.models.exchange import Answer, Request, Source, answer_from_json


class Recorder:
    """Appends a line for each exchange: key, request and answer, patient data included."""

    def __init__(self, path: Path) -> None:
        """Opens the file for appending, or creates it.

        Raises:
            UserError: the file cannot be written.
        """
        try:
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
        except OSError as error:
            raise UserError(
                f"The recording {path} cannot be written ({error.strerror}): name another file."
            ) from error

    def around(self, source: Source) -> Source:
        """Wraps a source so that each exchange is recorded."""

        async def answer(request: Request) -> Answer:
            recorded = await source(request)
            line = {"key": request.key, "request": request, "answer": recorded}
            # One write per line, so that lines of several processes never mix.
            os.write(self._file, orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
            return recorded

        return answer

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)


class Recording:
    """A recorded file, which answers the requests in it."""

    def __init__(self, path: Path) -> None:
        """Reads the file; a truncated last line is skipped.

        Raises:
            UserError: the file is missing, or a line is not an exchange.
        """
        self._path = path
        self._answers: dict[str, list[Answer]] = {}
        try:
            text = path.read_bytes()
        except OSError as error:
            raise UserError(
                f"The recording {path} cannot be read ({error.strerror}): name a recorded file."
            ) from error
        for number, line in enumerate(text.split(b"\n")[:-1], start=1):
            key, answer = _read_line(line, path, number)
            self._answers.setdefault(key, []).append(answer)

    async def answer(self, request: Request) -> Answer:
        """The recorded answer; several for one request are given in turn, then the last again.

        Raises:
            InfraError: the request was not recorded.
        """
        answers = self._answers.get(request.key)
        if not answers:
            raise InfraError(
                f"The recording {self._path} has no answer to this request of model "
                f"{request.model!r} ({len(request.messages)} messages, key {request.key[:12]}): "
                "record again with the tasks, prompts and settings of this run."
            )
        return answers.pop(0) if len(answers) > 1 else answers[0]


def _read_line(line: bytes, path: Path, number: int) -> tuple[str, Answer]:
    try:
        exchange = orjson.loads(line)
        answer = answer_from_json(orjson.dumps(exchange["answer"]))
        return str(exchange["key"]), replace(answer, cost=0.0, retries=0, cached=True)
    except (orjson.JSONDecodeError, KeyError, TypeError, ValidationError) as error:
        raise UserError(
            f"Line {number} of the recording {path} is not an exchange: remove it or record again."
        ) from error
