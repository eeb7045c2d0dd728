"""One logical form of a clinical question: to SQL over any record map, and to words."""

from wardround.ehr.query.columns import answer_columns
from wardround.ehr.query.model import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Span,
)
from wardround.ehr.query.to_sql import to_sql
from wardround.ehr.query.to_words import to_words

__all__ = [
    "Between",
    "Bound",
    "Condition",
    "Goal",
    "Period",
    "Query",
    "Relation",
    "Span",
    "answer_columns",
    "to_sql",
    "to_words",
]
