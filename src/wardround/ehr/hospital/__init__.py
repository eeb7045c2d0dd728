"""A synthetic hospital of any size: same seed, same rows, synthetic patients only."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.ehr.hospital.build import build_hospital
    from wardround.ehr.hospital.default import (
        default_cohort_hospital,
        default_eicu_hospital,
        default_hospital,
        default_hospital_on_server,
    )
    from wardround.ehr.hospital.digest import content_digest
    from wardround.ehr.hospital.prepared import PREPARED, build_prepared_hospital
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "build": ("build_hospital",),
            "default": (
                "default_cohort_hospital",
                "default_eicu_hospital",
                "default_hospital",
                "default_hospital_on_server",
            ),
            "digest": ("content_digest",),
            "prepared": ("PREPARED", "build_prepared_hospital"),
        },
    )

__all__ = [
    "PREPARED",
    "build_hospital",
    "build_prepared_hospital",
    "content_digest",
    "default_cohort_hospital",
    "default_eicu_hospital",
    "default_hospital",
    "default_hospital_on_server",
]
