"""One logical form of a clinical question: to SQL over any record map, to words, to differences."""

from wardround.ehr.query.differences import Difference, difference_words, differences
from wardround.ehr.query.link import Link, Links, link, link_condition, open_words
from wardround.ehr.query.model import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Span,
    Term,
    Words,
)
from wardround.ehr.query.normal_form import normal_form
from wardround.ehr.query.to_sql import to_sql
from wardround.ehr.query.to_words import answer_columns, to_words

__all__ = [
    "Between",
    "Bound",
    "Condition",
    "Difference",
    "Goal",
    "Link",
    "Links",
    "Period",
    "Query",
    "Relation",
    "Span",
    "Term",
    "Words",
    "answer_columns",
    "difference_words",
    "differences",
    "link",
    "link_condition",
    "normal_form",
    "open_words",
    "to_sql",
    "to_words",
]
