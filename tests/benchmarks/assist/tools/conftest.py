"""The small record, built once."""

from collections.abc import Iterator

import pytest

from tests.benchmarks.assist.tools.small_chart import Ward, build_small_chart
from wardround.ehr.fhir.record import Record


@pytest.fixture(scope="session")
def small_chart(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The record of two patients."""
    return build_small_chart(tmp_path_factory.mktemp("small_chart"))


@pytest.fixture
def strict(small_chart: Record) -> Iterator[Ward]:
    """A desk with strict shapes."""
    ward = Ward(small_chart)
    yield ward
    ward.server.close()


@pytest.fixture
def paper(small_chart: Record) -> Iterator[Ward]:
    """A desk with published shapes."""
    ward = Ward(small_chart, "paper")
    yield ward
    ward.server.close()
