"""Answers of a given form: what is sent, how they are read, and what the model is told if wrong."""

import orjson
from pydantic import BaseModel, ValidationError

from wardround.models.messages import Message, Reply
from wardround.models.model import Schema

REPAIRS = 2
"""How often a model is told what was wrong with its answer before it is given up."""


def read_answer(reply: Reply, schema: type[Schema]) -> Schema:
    r"""The answer in a reply: its outermost JSON object, whatever stands around it.

    >>> class Verdict(BaseModel):
    ...     passed: bool
    >>> read_answer(Reply('Here it is:\n```json\n{"passed": true}\n```'), Verdict)
    Verdict(passed=True)

    Raises:
        pydantic.ValidationError: there is no such object, or it has another form.
    """
    text = reply.text
    start, end = text.find("{"), text.rfind("}")
    return schema.model_validate_json(text[start : end + 1] if 0 <= start < end else text)


def ask_again(reply: Reply, error: ValidationError, schema: type[BaseModel]) -> tuple[Message, ...]:
    """The messages that follow a wrong answer: the answer itself, and what is wrong with it."""
    wrong = Message("assistant", reply.text)
    form = orjson.dumps(schema.model_json_schema()).decode()
    cut_off = " It was cut off: be shorter." if reply.finish_reason == "length" else ""
    text = (
        f"That answer does not have the form asked for ({describe(error)}).{cut_off} "
        f"Answer again with one JSON object and nothing else. Its JSON schema is: {form}"
    )
    return (wrong, Message("user", text))


def describe(error: ValidationError) -> str:
    """What is wrong, field by field, without the values themselves."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{_place(problem['loc'])}: {problem['msg']}" for problem in problems)


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "answer"
