"""A deterministic stand-in for a model server, to make recordings.

Run as `python -m bench.frozen.stand_in`. It is OpenAI-compatible and answers by the request alone:
it calls tools in turn, fills in a schema, or writes the text of a ReAct agent. Its answers are
meaningless; the recordings show the requests to models and the handling of answers.
"""

import hashlib
import json
import re
from http.server import ThreadingHTTPServer
from typing import Any

from bench.json_server import completion, json_handler

PORT = 18123
_SQL = "SELECT COUNT(*) FROM patients"
_TEXT = "Patients who were 75 or older, counted once each."
_LOUD = f"Thought: I count first.\nSay: {_TEXT}"


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the message for a request."""
    number = int(hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest(), 16)
    if form := request.get("response_format", {}).get("json_schema"):
        content = json.dumps(filled(form["schema"], form["schema"], number))
        return {"role": "assistant", "content": content}
    if tools := request.get("tools"):
        return _called(tools, request["messages"], number)
    prompt = json.dumps(request["messages"])
    text = _LOUD if "Thought:" in prompt else _SQL if re.search("sql", prompt, re.I) else _TEXT
    return {"role": "assistant", "content": text}


def filled(schema: dict[str, Any], root: dict[str, Any], number: int) -> Any:
    """Returns a value that fits a JSON schema and depends on a number."""
    if "$ref" in schema:
        return filled(root["$defs"][schema["$ref"].rpartition("/")[2]], root, number)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return filled(choices[number % len(choices)], root, number)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][number % len(schema["enum"])]
    match schema.get("type", "object"):
        case "object":
            inner = schema.get("properties", {})
            return {name: filled(field, root, number // 3) for name, field in inner.items()}
        case "array":
            return [filled(schema["items"], root, number // (at + 2)) for at in range(2)]
        case "boolean":
            return bool(number % 3)
        case "integer" | "number":
            return schema.get("minimum", 1) + number % 3
        case "null":
            return None
    return _SQL if schema.get("title", "").lower() in ("sql", "query") else _TEXT


def _called(tools: list[Any], messages: list[Any], number: int) -> dict[str, Any]:
    """Calls the tools in turn as the conversation goes on."""
    function = tools[len(messages) % len(tools)]["function"]
    schema = function.get("parameters", {})
    arguments = json.dumps(filled(schema, schema, number))
    call = {"name": function["name"], "arguments": arguments}
    calls = [{"id": f"call_{len(messages)}", "type": "function", "function": call}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def respond(body: bytes) -> tuple[int, dict[str, Any]]:
    """Returns the status and the completion for a request."""
    return 200, completion(answer(json.loads(body)), 100, 10)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), json_handler(respond)).serve_forever()
