"""BigQuery's dialect as sqlglot reads it, less the types that BigQuery does not have."""

from sqlglot.dialects.bigquery import BigQuery
from sqlglot.tokenizer_core import TokenType

# Names of nested types elsewhere; in BigQuery they are ordinary names of columns.
_FOREIGN_TYPES = {TokenType.LIST, TokenType.MAP, TokenType.NESTED, TokenType.NULLABLE}


class GoogleSql(BigQuery):
    """BigQuery's dialect, in which a column may be called `map`.

    >>> from sqlglot import parse_one
    >>> parse_one("SELECT map < 65", read=GoogleSql).sql("duckdb")
    'SELECT "map" < 65'
    """

    class Tokenizer(BigQuery.Tokenizer):
        """BigQuery's tokens."""

        KEYWORDS = {  # noqa: RUF012 - sqlglot reads it from the class
            word: token
            for word, token in BigQuery.Tokenizer.KEYWORDS.items()
            if token not in _FOREIGN_TYPES
        }
