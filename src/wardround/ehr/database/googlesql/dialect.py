"""BigQuery's dialect as sqlglot reads it, less the types that BigQuery does not have."""

from sqlglot import exp
from sqlglot.dialects.bigquery import BigQuery
from sqlglot.parsers.bigquery import BigQueryParser
from sqlglot.tokenizer_core import TokenType

# Names of nested types elsewhere; in BigQuery they are ordinary names of columns.
# Tokens that a parser may read again, for each token of a query and for any query.
_MOST_AGAIN, _FEW_AGAIN = 50, 10_000
_FOREIGN_TYPES = {TokenType.LIST, TokenType.MAP, TokenType.NESTED, TokenType.NULLABLE}


class GoogleSql(BigQuery):
    """BigQuery's dialect, in which a column may be called `map`.

    sqlglot's parser tries some forms in two ways, which takes exponential time where they are
    nested: what can be told by the next token is tried in one way, and the work is bounded.

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

    class Parser(BigQueryParser):
        """BigQuery's grammar, read in time linear in a query's length."""

        _read_again = 0

        def _retreat(self, index: int) -> None:
            """Go back to a token.

            Raises:
                RecursionError: Tokens have been read again too often.
            """
            self._read_again += max(0, self._index - index)
            if self._read_again > _MOST_AGAIN * len(self._tokens) + _FEW_AGAIN:
                raise RecursionError("the query is nested too deeply")
            super()._retreat(index)

        def reset(self) -> None:
            """Forget the last query."""
            self._read_again = 0
            super().reset()

        def _parse_types(
            self,
            check_func: bool = False,
            schema: bool = False,
            allow_identifiers: bool = True,
            with_collation: bool = False,
        ) -> exp.Expr | None:
            """A type; in an expression a parenthesis after its name makes a value."""
            calls = self._next is not None and self._next.token_type is TokenType.L_PAREN
            if calls and (check_func or self._curr.token_type is TokenType.STRUCT):
                return None
            return super()._parse_types(check_func, schema, allow_identifiers, with_collation)

        def _parse_column_ops(self, this: exp.Expr | None) -> exp.Expr | None:
            """Parse the part after a name; after `SAFE.` it is a function."""
            safe = isinstance(this, exp.Column) and this.sql().upper() == "SAFE"
            if safe and self._match(TokenType.DOT):
                index = self._index - 1
                called = self._parse_function(any_token=True)
                if called is not None:
                    return super()._parse_column_ops(exp.SafeFunc(this=called))
                self._retreat(index)
            return super()._parse_column_ops(this)
