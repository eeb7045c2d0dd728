"""Structured answers: parsing, and repair requests with the errors of invalid ones."""

import orjson
from pydantic import BaseModel, ValidationError

from wardround.models.messages import Message, Reply
from wardround.models.model import Schema

REPAIRS = 2
"""The most repair requests after an invalid answer."""


def read_answer(reply: Reply, schema: type[Schema]) -> Schema:
    r"""Parses the outermost JSON object in a reply, ignoring text around it.

    >>> class Verdict(BaseModel):
    ...     passed: bool
    >>> read_answer(Reply('Here it is:\n```json\n{"passed": true}\n```'), Verdict)
    Verdict(passed=True)

    Raises:
        pydantic.ValidationError: there is no JSON object, or it does not match the schema.
    """
    text = reply.text
    start, end = text.find("{"), text.rfind("}")
    return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)


def ask_again(reply: Reply, error: ValidationError, schema: type[BaseModel]) -> tuple[Message, ...]:
    """The messages of a repair request: the invalid answer and its errors."""
    invalid = Message("assistant", reply.text)
    json_schema = orjson.dumps(schema.model_json_schema()).decode()
    cut_off = " It was cut off: be shorter." if reply.finish_reason == "length" else ""
    text = (
        f"That answer does not have the form asked for ({describe(error)}).{cut_off} "
        f"Answer again with one JSON object and nothing else. Its JSON schema is: {json_schema}"
    )
    return (invalid, Message("user", text))


def describe(error: ValidationError) -> str:
    """The errors field by field, without the values."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{_place(problem['loc'])}: {problem['msg']}" for problem in problems)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "answer"
