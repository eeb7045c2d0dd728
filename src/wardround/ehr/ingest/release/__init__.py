"""Published releases: folders of CSV files read into a database, whole or partial, checked."""

from wardround.ehr.ingest.release.build import Progress, Report, build
from wardround.ehr.ingest.release.faults import Fault, first_faults
from wardround.ehr.ingest.release.layout import Layout, Source, find_sources
from wardround.ehr.ingest.release.ledger import Outcome
from wardround.ehr.ingest.release.needs import ruled_out
from wardround.ehr.ingest.release.release_match import RELEASES

__all__ = [
    "RELEASES",
    "Fault",
    "Layout",
    "Outcome",
    "Progress",
    "Report",
    "Source",
    "build",
    "find_sources",
    "first_faults",
    "ruled_out",
]
