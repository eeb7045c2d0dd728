"""Download of published releases, resumable and verified."""

from wardround.ehr.ingest.download.download import Progress
from wardround.ehr.ingest.download.fetch import FetchResult, fetch
from wardround.ehr.ingest.download.release import Release, find_release, release_names

__all__ = ["FetchResult", "Progress", "Release", "fetch", "find_release", "release_names"]
