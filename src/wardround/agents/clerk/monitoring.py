"""Tests by which treatment with a drug is monitored."""

from collections.abc import Iterable, Mapping
from functools import cache

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.drugs import drug_class

_MOST = 6


def monitored_by(drugs: Iterable[str]) -> tuple[str, ...]:
    """The tests of the classes of some drugs, the most often named first.

    >>> monitored_by(["spironolactone"])
    ('potassium', 'creatinine')
    """
    classes = dict.fromkeys(group.name for drug in sorted(drugs) for group in drug_class(drug))
    tests = [test for name in classes for test in _tests().get(name, ())]
    return tuple(sorted(dict.fromkeys(tests), key=lambda test: -tests.count(test)))[:_MOST]


@cache
def _tests() -> Mapping[str, tuple[str, ...]]:
    return {name: split_cell(tests) for name, tests in read_rows(__package__, "monitoring.tsv")}
