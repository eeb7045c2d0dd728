"""A synthetic hospital of any size: same seed, same rows, synthetic patients only."""

from wardround.ehr.hospital.build import build_hospital
from wardround.ehr.hospital.default import default_hospital, default_hospital_on_server
from wardround.ehr.hospital.digest import content_digest

__all__ = ["build_hospital", "content_digest", "default_hospital", "default_hospital_on_server"]
