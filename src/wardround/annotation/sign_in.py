"""The people who sign in to the page, and the cookies that they are known by."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import Request

from wardround.apps.web.access import matches

NAME_COOKIE, TOKEN_COOKIE = "annotator", "annotation_token"


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person at the page; the name is "" until it is given."""

    name: str = ""
    roles: tuple[str, ...] = ()

    def cookie(self) -> str:
        """The person as the value of a cookie."""
        return urlencode([("name", self.name), *(("role", role) for role in self.roles)])


def annotator_of(request: Request) -> Annotator:
    """The person who sent a request."""
    pairs = parse_qsl(request.cookies.get(NAME_COOKIE, ""))
    name = next((value for key, value in pairs if key == "name"), "")
    return Annotator(name, tuple(value for key, value in pairs if key == "role"))


def has_token(request: Request, token: str | None) -> bool:
    """True if no token is needed, or the request has it."""
    return matches(request.cookies.get(TOKEN_COOKIE, ""), token)
