"""The distinct values of a column that contain a text."""

from collections.abc import Callable

from wardround.ehr.database import Database, find_column, find_table, quote_name, quote_text


def distinct_values(database: Database, table: str, column: str) -> list[str]:
    """All distinct values of a column as texts, ascending; NULL is none.

    Raises:
        QueryError: If there is no such table or column.
    """
    return _select(database, table, column, lambda text: f"{text} IS NOT NULL", None)


def substring_search(
    database: Database, table: str, column: str, value: str, k: int = 100
) -> list[str]:
    """The distinct values that contain the text, case ignored, ascending (EHR-ChatQA, A.2).

    `%` and `_` stand for themselves.

    Args:
        database: Where to look.
        table: The table, in any case.
        column: The column, in any case.
        value: The text.
        k: How many values to return at most.

    Raises:
        QueryError: If there is no such table or column.
    """
    for special in ("~", "%", "_"):
        value = value.replace(special, f"~{special}")
    pattern = quote_text(f"%{value}%")

    def holds(text: str) -> str:
        return f"LOWER({text}) LIKE LOWER({pattern}) ESCAPE '~'"

    return _select(database, table, column, holds, k)


def _select(
    database: Database, table: str, column: str, condition: Callable[[str], str], rows: int | None
) -> list[str]:
    table = find_table(database, table)
    text = f"CAST({quote_name(find_column(database, table, column).name)} AS TEXT)"
    sql = (
        f"SELECT DISTINCT {text} AS found FROM {quote_name(table)}"  # noqa: S608
        f" WHERE {condition(text)} ORDER BY found"
    )
    return [str(row[0]) for row in database.execute(sql, rows=rows, seconds=600).rows]
