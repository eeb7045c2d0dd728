"""FHIR over HTTP: a record's workspace behind the REST interface; the base URL is the root."""

import logging
from collections.abc import Callable
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi import Request as HttpRequest
from fastapi import Response as HttpResponse
from starlette.concurrency import run_in_threadpool

from wardround.apps.web.access import check_exposure, matches, refusal
from wardround.apps.web.bounded_server import BoundedBodies, run_server
from wardround.ehr.fhir.interaction import FhirServer, Request, Resource, Response
from wardround.ehr.fhir.links import whole_address, with_addresses
from wardround.ehr.fhir.outcome import FhirError

log = logging.getLogger(__name__)

JSON = "application/fhir+json"
FORM = "application/x-www-form-urlencoded"
_READ_AS_JSON = ("application/fhir+json", "application/json", "text/json")
_ACCEPTED = (*_READ_AS_JSON, "*/*", "application/*")
_HEADERS = ("if-match", "if-none-exist", "if-none-match", "prefer")
_METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
MOST_BYTES = 64 * 1024 * 1024


def make_app(server: FhirServer, *, writable: bool, token: str | None = None) -> FastAPI:
    """The application.

    Args:
        server: the record that answers.
        writable: take writes; otherwise they are refused.
        token: the bearer token that clients need; None if only this machine reaches the server.
    """
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    async def answer(request: HttpRequest) -> HttpResponse:
        try:
            _check_access(request, token)
            asked = await _fhir_request(request, writable)
            response = await run_in_threadpool(server.handle, asked)
        except FhirError as error:
            response = error.response()
        except Exception as error:  # its text may hold records, so only its kind is logged
            log.error("A request failed: %s", type(error).__name__)
            response = FhirError(500, "exception", "The server failed; see its log.").response()
        return _http_response(response, str(request.base_url))

    app.add_api_route("/{path:path}", answer, methods=_METHODS)
    app.add_middleware(BoundedBodies, most_bytes=MOST_BYTES, refusal=_refused)
    return app


def _refused(status: int, reason: str) -> HttpResponse:
    response = FhirError(status, "too-long", reason).response()
    return HttpResponse(orjson.dumps(response.body), status, media_type=JSON)


def serve(
    server: FhirServer,
    host: str,
    port: int,
    *,
    writable: bool,
    token: str | None,
    announce: Callable[[], None],
) -> None:
    """Serves a record until it is interrupted; calls `announce` once it can be asked.

    Raises:
        UserError: other machines reach the address, and there is no good token.
    """
    check_exposure(host, token)
    run_server(make_app(server, writable=writable, token=token), host, port, announce)


def _check_access(request: HttpRequest, token: str | None) -> None:
    if message := refusal(request, token):
        raise FhirError(403, "forbidden", message)
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not matches(given, token):
        raise FhirError(401, "forbidden", "The token is missing or wrong; send it as a bearer.")


async def _fhir_request(request: HttpRequest, writable: bool) -> Request:
    """The request as FHIR sees it.

    Raises:
        FhirError: its method, form or body is not taken.
    """
    # A HEAD is answered as a GET; the HTTP server leaves its body out.
    method: Any = "GET" if request.method == "HEAD" else request.method
    path = request.url.path.lstrip("/")
    searches = method == "POST" and path.rpartition("/")[2] == "_search"
    if method == "PATCH":
        raise FhirError(501, "not-supported", "PATCH is not supported; send the whole resource.")
    if method == "OPTIONS":
        raise FhirError(405, "not-supported", "OPTIONS is not supported; read /metadata instead.")
    if method != "GET" and not searches and not writable:
        raise FhirError(
            405, "not-supported", "This server is read-only; start it with --writes FILE."
        )
    _check_accept(request)
    query = f"?{request.url.query}" if request.url.query else ""
    headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
    return Request(method, path + query, headers, _body(request, await request.body(), searches))


def _check_accept(request: HttpRequest) -> None:
    accepted = request.headers.get("accept", "*/*").split(",")
    kinds = {kind.partition(";")[0].strip().lower() for kind in accepted}
    if kinds.isdisjoint(_ACCEPTED):
        raise FhirError(406, "not-supported", f"Only {JSON} is sent, not {', '.join(kinds)}.")


def _body(request: HttpRequest, content: bytes, searches: bool) -> Resource | str | None:
    if not content:
        return None
    kind = request.headers.get("content-type", JSON).partition(";")[0].strip().lower()
    if searches:
        if kind != FORM:
            raise FhirError(415, "not-supported", f"A search by POST is sent as {FORM}.")
        return content.decode("utf-8", "replace")
    if kind not in _READ_AS_JSON:
        raise FhirError(415, "not-supported", f"A body of {kind} is not read; send {JSON}.")
    try:
        body: Resource = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise FhirError(400, "structure", f"The body is not valid JSON: {error}.") from None
    return body


def _http_response(response: Response, base: str) -> HttpResponse:
    headers = dict(response.headers)
    if location := headers.get("location"):
        headers["location"] = whole_address(location, base)
    headers["cache-control"] = "no-store"
    body = response.body
    if body is None:
        return HttpResponse(status_code=response.status, headers=headers)
    content = orjson.dumps(with_addresses(body, base))
    return HttpResponse(content, response.status, headers, media_type=JSON)
