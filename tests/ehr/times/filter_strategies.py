"""Hypothesis strategies for time filters and times."""

from collections.abc import Callable
from datetime import datetime

from hypothesis import strategies

from wardround.ehr.times import TimeFilter, TimeTemplate, all_templates, value_range

# Whole seconds, with more ends of days, months and years than chance would give.
_ANY = strategies.datetimes(datetime(2090, 1, 1), datetime(2110, 12, 31))
_EDGES = strategies.sampled_from(
    [
        datetime(year, month, day, *clock)
        for year in (2099, 2100, 2104, 2105)
        for month, day in ((1, 1), (2, 28), (3, 1), (3, 3), (3, 31), (5, 31), (12, 31))
        for clock in ((0, 0, 0), (12, 30, 1), (23, 59, 0), (23, 59, 59))
    ]
    + [datetime(2104, 2, 29, 7, 30)]
)
times = (_ANY | _EDGES).map(lambda time: time.replace(microsecond=0))


def filters(predicate: Callable[[TimeTemplate], bool]) -> strategies.SearchStrategy[TimeFilter]:
    """Filters of matching templates, with values near the times above."""
    templates = [template for template in all_templates() if predicate(template)]
    return strategies.sampled_from(templates).flatmap(_filled)


def _filled(template: TimeTemplate) -> strategies.SearchStrategy[TimeFilter]:
    moments = times.map(
        lambda time: TimeFilter(template, {name: getattr(time, name) for name in template.values})
    )
    counted = template.id.startswith(("rel-", "within-n_"))
    return _counted(template) if counted else moments


def _counted(template: TimeTemplate) -> strategies.SearchStrategy[TimeFilter]:
    few = {
        name: strategies.integers(1, 40) | strategies.sampled_from(value_range(template, name))
        for name in template.values
    }
    return strategies.fixed_dictionaries(few).map(lambda values: TimeFilter(template, values))
