"""Time templates of questions and queries (Lee et al. 2022, B.2, Table 8).

Covers the wording of a template, its evaluation in Python, its SQL in each dialect, and the
recognition of time filters in questions and queries.
"""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.ehr.times.allowed_filters import is_legal, span
    from wardround.ehr.times.condition_parser import RecognisedFilter
    from wardround.ehr.times.conditions import (
        RowChoice,
        condition,
        pair_condition,
        row_choice,
        visit_choice,
    )
    from wardround.ehr.times.current import substitute_current_time, substitute_words
    from wardround.ehr.times.filter_evaluation import accepts, accepts_pair
    from wardround.ehr.times.filter_extraction import extract_filters, fill_filters
    from wardround.ehr.times.filters import TimeFilter, TimeTag, filter_text, value_range
    from wardround.ehr.times.model import TimeTemplate
    from wardround.ehr.times.query_filters import query_time_filters, recognise
    from wardround.ehr.times.templates import all_templates, template, time_filter
    from wardround.ehr.times.time_expressions import TimeExpression, find_times
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "allowed_filters": ("is_legal", "span"),
            "condition_parser": ("RecognisedFilter",),
            "conditions": (
                "RowChoice",
                "condition",
                "pair_condition",
                "row_choice",
                "visit_choice",
            ),
            "current": ("substitute_current_time", "substitute_words"),
            "filter_evaluation": ("accepts", "accepts_pair"),
            "filter_extraction": ("extract_filters", "fill_filters"),
            "filters": ("TimeFilter", "TimeTag", "filter_text", "value_range"),
            "model": ("TimeTemplate",),
            "query_filters": ("query_time_filters", "recognise"),
            "templates": ("all_templates", "template", "time_filter"),
            "time_expressions": ("TimeExpression", "find_times"),
        },
    )

__all__ = [
    "RecognisedFilter",
    "RowChoice",
    "TimeExpression",
    "TimeFilter",
    "TimeTag",
    "TimeTemplate",
    "accepts",
    "accepts_pair",
    "all_templates",
    "condition",
    "extract_filters",
    "fill_filters",
    "filter_text",
    "find_times",
    "is_legal",
    "pair_condition",
    "query_time_filters",
    "recognise",
    "row_choice",
    "span",
    "substitute_current_time",
    "substitute_words",
    "template",
    "time_filter",
    "value_range",
    "visit_choice",
]
