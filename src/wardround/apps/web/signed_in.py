"""The people behind requests to the assistant: by bearer token, signed-in browser, or proxy."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic

from fastapi import Request, Response

from wardround.apps.web.access import WrongTokens, refusal, sender_of
from wardround.assistant.users import LOCAL, User, user_of

COOKIE = "wardround"
SECONDS = 12 * 3600.0


@dataclass(slots=True)
class SignedIn:
    """Knows the people who may ask.

    Attributes:
        users: the people by name; empty for the person at this machine alone, or for everybody whom
            the proxy names.
        header: the header in which a proxy that people sign in to names them; "" without one.
    """

    users: Mapping[str, User]
    header: str = ""
    _sessions: dict[str, tuple[str, float]] = field(default_factory=dict)
    _wrong: WrongTokens = field(default_factory=WrongTokens)
    _let_in: set[tuple[str, str]] = field(default_factory=set)

    @property
    def is_local(self) -> bool:
        """True if nobody has to sign in."""
        return not self.users and not self.header

    def refusal(self, request: Request) -> str:
        """The reason to refuse a request from anybody; "" if it is not."""
        return refusal(request, None if self.is_local else "named people only")

    def person(self, request: Request) -> str | None:
        """The name of the person who sends a request; None if it is not known."""
        if self.is_local:
            return LOCAL
        if self.header:
            # A second one may be the client's own.
            names = request.headers.getlist(self.header)
            is_known = len(names) == 1 and (not self.users or names[0] in self.users)
            return names[0] or None if is_known else None
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._by_token(request, token.strip())
        name, until = self._sessions.get(request.cookies.get(COOKIE, ""), ("", 0.0))
        return name if until > monotonic() else None

    def sign_in(self, request: Request, token: str, response: Response) -> bool:
        """Lets a browser ask in the name of a token's person; False if the token is wrong."""
        name = self._by_token(request, token.strip())
        if name is None:
            return False
        now = monotonic()
        self._sessions = {id: each for id, each in self._sessions.items() if each[1] > now}
        session = secrets.token_urlsafe(32)
        self._sessions[session] = (name, now + SECONDS)
        is_https = request.url.scheme == "https"
        response.set_cookie(
            COOKIE, session, int(SECONDS), httponly=True, samesite="strict", secure=is_https
        )
        return True

    def sign_out(self, request: Request, response: Response) -> None:
        """Forgets a browser."""
        self._sessions.pop(request.cookies.get(COOKIE, ""), None)
        response.delete_cookie(COOKIE)

    def _by_token(self, request: Request, token: str) -> str | None:
        """The person with a token; too many wrong ones shut their sender out for a minute.

        People who signed in from that address before are still let in, since many may share it.
        """
        name = user_of(self.users, token)
        if name is not None and (sender_of(request), name) in self._let_in:
            return name
        if self._wrong.shut_out(request):
            return None
        if name is None:
            self._wrong.note(request, token)
        else:
            self._let_in.add((sender_of(request), name))
        return name
