"""Times in questions and queries: the time templates of EHRSQL (B.2, Table 8).

What a template says in words, which times it holds for, its SQL in each dialect, and the way back:
the time filters of a question and of a query.
"""

from wardround.ehr.times.allowed_filters import legal, span
from wardround.ehr.times.condition_parser import Recognised
from wardround.ehr.times.conditions import (
    Choice,
    chosen_row,
    chosen_visit,
    condition,
    condition_between,
)
from wardround.ehr.times.current import with_current_time, with_words
from wardround.ehr.times.filter_evaluation import holds, holds_between
from wardround.ehr.times.filter_extraction import extracted, filled
from wardround.ehr.times.filters import TimeFilter, TimeTag
from wardround.ehr.times.model import Dialect, TimeTemplate
from wardround.ehr.times.query_filters import recognise, recognised
from wardround.ehr.times.ranges import value_range
from wardround.ehr.times.templates import all_templates, template, time_filter
from wardround.ehr.times.time_expressions import Found, find_times
from wardround.ehr.times.wording import worded

__all__ = [
    "Choice",
    "Dialect",
    "Found",
    "Recognised",
    "TimeFilter",
    "TimeTag",
    "TimeTemplate",
    "all_templates",
    "chosen_row",
    "chosen_visit",
    "condition",
    "condition_between",
    "extracted",
    "filled",
    "find_times",
    "holds",
    "holds_between",
    "legal",
    "recognise",
    "recognised",
    "span",
    "template",
    "time_filter",
    "value_range",
    "with_current_time",
    "with_words",
    "worded",
]
