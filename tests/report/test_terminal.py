import io
import re

from rich.console import Console

from tests.cases import for_each
from wardround.report.tables import ShownTable
from wardround.report.terminal import renderables

NUMBERS = ("73.3 [65.1, 80.2]", "1,200", "100.0 [92.9, 100.0]")
TABLE = ShownTable(
    "Results",
    ("Flow", "Success rate", "Tasks", "All of them"),
    (("[bold]incremental", *NUMBERS), ("a rather long name of a group of tasks", *NUMBERS)),
    (False, True, True, True),
    "Percent, over tasks.",
)


def printed(table: ShownTable, width: int) -> str:
    console = Console(file=io.StringIO(), width=width)
    for part in renderables(table, width):
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_wide_terminal_shows_cells_unchanged() -> None:
    text = printed(TABLE, 200)
    for cell in ("Flow", "73.3 [65.1,80.2]", "1,200", "[bold]incremental", "Percent, over tasks."):
        assert cell in text


def test_narrower_terminal_shows_intervals_below_figures() -> None:
    text = printed(TABLE, 50)
    assert "73.3 [65.1,80.2]" not in text
    assert "[65.1,80.2]" in text
    assert "Flow" in text


@for_each(range(30, 120, 3))
def test_numbers_are_never_broken(width: int) -> None:
    tokens = re.split(r"\s+", printed(TABLE, width))
    for number, count in {"73.3": 2, "[65.1,80.2]": 2, "1,200": 2, "[92.9,100.0]": 2}.items():
        assert tokens.count(number) == count


def test_narrow_terminal_transposes_the_table() -> None:
    lines = printed(TABLE, 30).splitlines()
    assert any(line.split() == ["Tasks", "1,200"] for line in lines)


def test_empty_table_shows_title_and_columns() -> None:
    text = printed(ShownTable("Empty", ("Flow", "SR"), (), (False, False)), 80)
    assert "Empty" in text
    assert "Flow" in text


def test_heads_break_between_words_only() -> None:
    table = ShownTable("T", ("Kind", "ambiguities in suite"), (("a", "3"),), (False, True))
    words = printed(table, 200).split()
    assert {"ambiguities", "in", "suite"} <= set(words)


def test_heads_are_wrapped_only_where_the_table_does_not_fit() -> None:
    names = ("Benchmark", "Infra error", "Unscored")
    table = ShownTable("Trials", names, (("parser", "0", "2"),), (False, True, True))
    assert "Infra error Unscored" in printed(table, 40)
    assert "Infra error" not in printed(table, 24)
