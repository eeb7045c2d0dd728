"""The people who may ask."""

from pathlib import Path

import pytest

from wardround.assistant.users import RateLimit, check_tokens, read_users, token_digest, user_of
from wardround.core.errors import UserError

DIGEST = token_digest("a-token-of-ann-0123")


def written(folder: Path, text: str) -> Path:
    path = folder / "users.toml"
    path.write_text(text)
    return path


def test_a_person_is_found_by_token(tmp_path: Path) -> None:
    text = f'[users.ann]\ntoken_sha256 = "{DIGEST}"\nquestions_per_minute = 3\n'
    users = read_users(written(tmp_path, text))
    assert user_of(users, "a-token-of-ann-0123") == "ann"
    assert user_of(users, "another") is None
    assert user_of(users, "") is None
    assert users["ann"].questions_per_minute == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "users: Field required"),
        ("[users]\n", "should have at least 1 item"),
        ('[users.ann]\ntoken = "secret"\n', "users.ann.token: Extra inputs are not permitted"),
        ('[users.ann]\ntoken_sha256 = "secret"\n', "String should match pattern"),
        (f'[users."a b"]\ntoken_sha256 = "{DIGEST}"\n', "String should match pattern"),
        (
            f'[users.a]\ntoken_sha256 = "{DIGEST}"\n[users.b]\ntoken_sha256 = "{DIGEST}"\n',
            "have the same token",
        ),
        ("not toml", "is not a TOML file"),
    ],
)
def test_a_wrong_file_is_refused_without_its_secrets(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(UserError) as refused:
        read_users(written(tmp_path, text))
    assert said in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_person_without_a_token_has_no_token(tmp_path: Path) -> None:
    users = read_users(written(tmp_path, "[users.ann]\ndollars_per_day = 1\n[users.bob]\n"))
    assert user_of(users, "") is None
    with pytest.raises(UserError, match="gives ann no token_sha256; add the digest"):
        check_tokens(users)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_users(tmp_path / "users.toml")


def test_the_rate_holds_in_any_minute() -> None:
    limit = RateLimit(3)
    allowed = [at for at in range(180) if not limit.wait(at=float(at))]
    assert allowed == [0, 1, 2, 60, 61, 62, 120, 121, 122]
