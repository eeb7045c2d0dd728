"""Import of published releases (folders of CSV files) into a database, verified."""

from wardround.ehr.ingest.release.build import BuildReport, Progress, build
from wardround.ehr.ingest.release.faults import Fault, first_faults
from wardround.ehr.ingest.release.ledger import LoadedTable
from wardround.ehr.ingest.release.needs import missing_tables
from wardround.ehr.ingest.release.release_files import ReleaseFiles, TableFile, find_sources
from wardround.ehr.ingest.release.release_match import RELEASES

__all__ = [
    "RELEASES",
    "BuildReport",
    "Fault",
    "LoadedTable",
    "Progress",
    "ReleaseFiles",
    "TableFile",
    "build",
    "find_sources",
    "first_faults",
    "missing_tables",
]
