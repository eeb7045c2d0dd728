"""One logical form of a clinical question: to SQL over any record map, to words, to differences."""

from wardround.ehr.query.columns import answer_columns
from wardround.ehr.query.differences import Difference, difference_words, differences
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
from wardround.ehr.query.normal_form import normal_form
from wardround.ehr.query.to_sql import to_sql
from wardround.ehr.query.to_words import to_words

__all__ = [
    "Between",
    "Bound",
    "Condition",
    "Difference",
    "Goal",
    "Period",
    "Query",
    "Relation",
    "Span",
    "answer_columns",
    "difference_words",
    "differences",
    "normal_form",
    "to_sql",
    "to_words",
]
