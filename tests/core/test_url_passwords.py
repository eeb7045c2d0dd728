"""A URL loses its passwords, keeps everything else, and gets them back when it is opened."""

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core import url_passwords
from wardround.core.locations import absolute_location
from wardround.core.url_passwords import passwords_of, remember_passwords, split_passwords

# URL, the same without passwords, the password.
CASES = [
    ("postgresql://u:p@h/db", "postgresql://u@h/db", "p"),
    ("postgres://u:p@h:5433/db?sslmode=require", "postgres://u@h:5433/db?sslmode=require", "p"),
    ("postgresql://u:p%40w@h/db", "postgresql://u@h/db", "p@w"),
    ("postgresql://u:p#w?@h/db", "postgresql://u@h/db", "p#w?"),
    ("postgresql://:p@h/db", "postgresql://@h/db", "p"),
    ("postgresql://u:p@[::1]:5432/db", "postgresql://u@[::1]:5432/db", "p"),
    ("postgresql:///db?host=/tmp&user=u&password=p", "postgresql:///db?host=/tmp&user=u", "p"),
    ("postgresql://h/db?p%61ssword=p&a=b", "postgresql://h/db?a=b", "p"),
    ("postgresql://u:p@a,b:5433/db", "postgresql://u@a,b:5433/db", "p"),
]
WITHOUT = ["postgresql:ward", "postgresql://u@h/db", "postgresql://h:5432/db", "data/ward.sqlite"]


@pytest.fixture(autouse=True)
def _forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_passwords, "_known", {})


@pytest.mark.parametrize(("url", "public", "password"), CASES)
def test_password_is_split_off_and_found_again(url: str, public: str, password: str) -> None:
    assert split_passwords(url) == (public, {"password": password})
    assert passwords_of(public) == {}
    assert remember_passwords(url) == public
    assert passwords_of(public) == passwords_of(url) == {"password": password}
    assert absolute_location(url) == public


@pytest.mark.parametrize("url", WITHOUT)
def test_url_without_a_password_stays(url: str) -> None:
    assert split_passwords(url) == (url, {})


def test_password_is_found_for_the_same_place_written_otherwise() -> None:
    remember_passwords("postgres://me:safe@%2Ftmp:5433/db?sslmode=require")
    assert passwords_of("postgresql://me@%2ftmp:5433/db")
    assert not passwords_of("postgresql://other@%2Ftmp:5433/db")
    assert not passwords_of("postgresql://me@%2Ftmp:5433/other")


def test_any_password_is_for_urls_without_one_of_their_own() -> None:
    url_passwords.remember_any_password("general")
    remember_passwords("postgresql://u:own@h/db")
    assert passwords_of("postgresql://u@h/db") == {"password": "own"}
    assert passwords_of("postgresql://u@h/other") == {"password": "general"}


@given(password=st.text(min_size=1), parameter=st.booleans())
def test_no_quoted_password_remains(password: str, parameter: bool) -> None:
    psycopg = pytest.importorskip("psycopg.conninfo")
    if "\0" in password:
        return
    try:
        written = quote(password, safe="")
    except UnicodeEncodeError:
        return
    url = (
        f"postgresql://u@h/db?password={written}" if parameter else f"postgresql://u:{written}@h/db"
    )
    public, passwords = split_passwords(url)
    assert public == "postgresql://u@h/db"
    assert passwords == {"password": password}
    assert psycopg.conninfo_to_dict(url)["password"] == password
