"""Access to a page or server: local names on this machine, a token from elsewhere."""

import hmac
import ipaddress
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import TypeAlias
from urllib.parse import urlsplit

from fastapi import FastAPI, Request, Response

from wardround.core.errors import UserError
from wardround.core.locations import check_readable

Answer: TypeAlias = Callable[[Request], Awaitable[Response]]

TOKEN_VARIABLE = "WARDROUND_TOKEN"  # noqa: S105
_READING = ("GET", "HEAD", "OPTIONS")
_LOCAL_NAMES = {"localhost", "testserver"}
_MOST_WRONG, _WRONG_SECONDS = 20, 60.0


def is_loopback(host: str) -> bool:
    """True if only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host in _LOCAL_NAMES


def check_exposure(host: str, token: str | None) -> None:
    """Refuses to show records beyond this machine to people without a token.

    Raises:
        UserError: The address is reached from elsewhere, and there is no token of 16 characters.
    """
    if not is_loopback(host) and len(token or "") < 16:
        raise UserError(
            f"Other machines reach {host}; give a token of at least 16 characters with --token-file"
            f" or {TOKEN_VARIABLE}, or leave out --host."
        )


def read_token(token: str | None, file: Path | None) -> str | None:
    """The token that was given, or that of a file, which other users of the machine do not see.

    Raises:
        UserError: both are given, or the file cannot be read or is empty.
    """
    if file is None:
        return token
    if token is not None:
        raise UserError(f"Give --token-file or a token by --token or {TOKEN_VARIABLE}, not both.")
    check_readable(file)
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The token file {file} cannot be read ({error}); check it.") from None
    if not text:
        raise UserError(f"The token file {file} is empty; write a token into it.")
    return text


def refusal(request: Request, token: str | None) -> str:
    """Why a request is refused; "" if it is not.

    Without a token, only requests that name this machine are answered. A page from elsewhere could
    otherwise reach it by a host name that resolves to this machine.
    """
    if token is None and not is_loopback(_named_host(request)):
        return "This page answers requests from its own machine only."
    if request.method not in _READING and _is_from_elsewhere(request):
        return "This request came from another site."
    return ""


def add_guard(
    app: FastAPI,
    unanswered: Callable[[Request], Response | None],
    answered: Callable[[Request, Answer], Awaitable[Response]],
    headers: Mapping[str, str],
) -> None:
    """Guards an application: each request is refused or answered, and its response gets headers.

    Args:
        app: the application.
        unanswered: the response to a request that may not go on; None if it may.
        answered: the response to any other, which may be a page about an error.
        headers: the headers of all responses.
    """

    async def guarded(request: Request, answer: Answer) -> Response:
        response = unanswered(request) or await answered(request, answer)
        response.headers.update(headers)
        return response

    app.middleware("http")(guarded)


def matches(given: str, token: str | None) -> bool:
    """True if no token is needed, or this is it.

    >>> matches("", None), matches("a-long-enough-token", "another-long-token")
    (True, False)
    """
    return token is None or hmac.compare_digest(given.encode(), token.encode())


@dataclass(slots=True)
class WrongTokens:
    """The wrong tokens of each sender; too many within a minute shut the sender out for as long.

    The same wrong token counts once, so that a browser with an old one can still sign in.
    """

    _seen: dict[str, dict[bytes, float]] = field(default_factory=dict)

    def note(self, request: Request, token: str) -> None:
        """Notes a wrong token."""
        digest = sha256(token.encode("utf-8", "surrogateescape")).digest()
        self._seen.setdefault(sender_of(request), {})[digest] = monotonic()

    def shut_out(self, request: Request) -> bool:
        """True if the request's sender gave too many, so that a right one may be a guess too."""
        least = monotonic() - _WRONG_SECONDS
        recent = {
            sender: {token: at for token, at in tokens.items() if at > least}
            for sender, tokens in self._seen.items()
        }
        self._seen = {sender: tokens for sender, tokens in recent.items() if tokens}
        return len(self._seen.get(sender_of(request), ())) >= _MOST_WRONG


def sender_of(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""


def _named_host(request: Request) -> str:
    """The host that a request names; "" if it names none."""
    try:
        return urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
    except ValueError:  # of brackets that are not closed
        return ""


def _is_from_elsewhere(request: Request) -> bool:
    origin = request.headers.get("origin")
    if origin and origin.partition("://")[2] != request.headers.get("host"):
        return True
    return request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
