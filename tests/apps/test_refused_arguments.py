"""Arguments that would do nothing or cannot be read are refused in one sentence."""

from pathlib import Path

from tests.apps.commands import Cli


def test_report_without_text_needs_a_page(cli: Cli) -> None:
    ran = cli("report", "run", "--without-text")
    assert ran.code == 2
    assert ran.err == (
        "Error: --without-text needs --html FILE, the page that it leaves texts out of.\n"
    )


def test_missing_questions_are_named(cli: Cli, tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    ran = cli("ask", "--questions", missing, "--database", "ward.sqlite")
    assert ran.code == 2
    assert ran.err == f"Error: {missing} cannot be read: No such file or directory.\n"


def test_people_with_tokens_need_http(cli: Cli, tmp_path: Path) -> None:
    ran = cli("mcp", "--unassessed", "ward.sqlite", "--users", tmp_path / "users.toml")
    assert ran.code == 2
    assert ran.err.startswith("Error: --users is for --http; over standard input and output")
