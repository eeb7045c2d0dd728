"""Search for column values by substring."""

from collections.abc import Callable

from wardround.ehr.database import Database, find_column, find_table, quote_name, quote_text


def distinct_values(database: Database, table: str, column: str) -> list[str]:
    """All distinct non-NULL values of a column as text, ascending.

    Raises:
        QueryError: If there is no such table or column.
    """
    return _select(database, table, column, lambda text: f"{text} IS NOT NULL", None)


def substring_search(
    database: Database, table: str, column: str, value: str, k: int = 100
) -> list[str]:
    """The distinct values that contain a text, ignoring case, ascending (Lee et al. 2025, A.2).

    `%` and `_` are literal.

    Args:
        database: The database.
        table: The table, in any case.
        column: The column, in any case.
        value: The text.
        k: Maximum number of values.

    Raises:
        QueryError: If there is no such table or column.
    """
    for special in ("~", "%", "_"):
        value = value.replace(special, f"~{special}")
    pattern = quote_text(f"%{value}%")

    def contains(text: str) -> str:
        return f"LOWER({text}) LIKE LOWER({pattern}) ESCAPE '~'"

    return _select(database, table, column, contains, k)


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
