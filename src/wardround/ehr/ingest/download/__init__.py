"""Published releases fetched from where they are published, resumed and checked."""

from wardround.ehr.ingest.download.download import Progress
from wardround.ehr.ingest.download.fetch import Fetched, fetch
from wardround.ehr.ingest.download.release import Release, find_release, release_names

__all__ = ["Fetched", "Progress", "Release", "fetch", "find_release", "release_names"]
