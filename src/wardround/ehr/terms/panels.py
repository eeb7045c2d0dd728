"""Laboratory panels and the tests that they contain."""

from functools import cache

from wardround.core.packaged_data import read_rows


@cache
def panel_tests(panel: str) -> frozenset[str]:
    """The tests of a panel, by their labels in MIMIC-IV; none for other names.

    >>> "potassium" in panel_tests("basic metabolic panel"), panel_tests("echocardiogram")
    (True, frozenset())
    """
    return frozenset(test for name, test in read_rows(__package__, "panels.tsv") if name == panel)
