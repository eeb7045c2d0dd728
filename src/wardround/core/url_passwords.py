"""Passwords of database URLs, which are kept in memory apart from the URLs.

A URL is written down, shown and passed on without its password. Only the processes that open the
database hold it: it is in no file, argument or environment variable.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import unquote

# Like libpq, takes everything before the first @ of a URL as user and password.
_URL = re.compile(
    r"(?s)(?P<scheme>[a-z][a-z0-9+.-]*:/*)(?:(?P<user>[^@/:]*)(?::(?P<password>[^@/]*))?@)?"
    r"(?P<place>[^?]*)(?:\?(?P<query>.*))?"
)
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_ANY = ()  # the key of the password for URLs that contain none

Passwords: TypeAlias = Mapping[tuple[str, ...], dict[str, str]]

_known: dict[tuple[str, ...], dict[str, str]] = {}


def split_passwords(url: str) -> tuple[str, dict[str, str]]:
    """A URL without its passwords, and the passwords by the names of their parameters.

    >>> split_passwords("postgresql://me:s%40fe@host/db?sslmode=require")
    ('postgresql://me@host/db?sslmode=require', {'password': 's@fe'})
    >>> split_passwords("postgresql://host/db?password=safe&user=me")
    ('postgresql://host/db?user=me', {'password': 'safe'})
    """
    match = _URL.fullmatch(url)
    if match is None:
        return url, {}
    pairs = [each.partition("=") for each in (match["query"] or "").split("&") if each]
    secrets = {unquote(name): unquote(value) for name, _, value in pairs if _is_secret(name)}
    others = "&".join("".join(pair) for pair in pairs if not _is_secret(pair[0]))
    if match["password"] is not None:
        secrets = {"password": unquote(match["password"]), **secrets}
    if not secrets:
        return url, {}
    user = "" if match["user"] is None else f"{match['user']}@"
    return f"{match['scheme']}{user}{match['place']}{'?' if others else ''}{others}", secrets


def remember_passwords(url: str) -> str:
    """Keeps the passwords of a URL; returns the URL without them."""
    public, passwords = split_passwords(url)
    if passwords:
        _known[_key(public)] = passwords
    return public


def remember_any_password(password: str) -> None:
    """Keeps a password for URLs that contain none, such as that of `PGPASSWORD`."""
    _known[_ANY] = {"password": password}


def passwords_of(url: str) -> Mapping[str, str]:
    """The passwords that are kept for a URL, by the names of their parameters."""
    return {**_known.get(_ANY, {}), **_known.get(_key(split_passwords(url)[0]), {})}


def with_passwords(work: Callable[..., None]) -> Callable[..., None]:
    """A function to run in a process started by this one, which then knows the passwords.

    They are sent with it, through a pipe.
    """
    return partial(_work_knowing, known_passwords(), work)


def known_passwords() -> Passwords:
    """All passwords, for another process to take over with `take_passwords`."""
    return dict(_known)


def take_passwords(known: Passwords) -> None:
    """Keeps the passwords of another process."""
    _known.update(known)


def _work_knowing(known: Passwords, work: Callable[..., None], *arguments: Any) -> None:
    take_passwords(known)
    work(*arguments)


def _is_secret(name: str) -> bool:
    return unquote(name) in _SECRETS


def _key(url: str) -> tuple[str, ...]:
    """User, place and database of a URL, however they are written."""
    match = _URL.fullmatch(url)
    if match is None:
        return (url,)
    query = dict(each.partition("=")[::2] for each in (match["query"] or "").split("&"))
    location, _, name = match["place"].partition("/")
    host, _, port = (
        location.rpartition(":") if re.search(r":\d*\Z", location) else (location, "", "")
    )
    parts = (
        (match["user"], "user"),
        (host.lower(), "host"),
        (port, "port"),
        (name, "dbname"),
    )
    return tuple(unquote(part or query.get(parameter, "")) for part, parameter in parts)
