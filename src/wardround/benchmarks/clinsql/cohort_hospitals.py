"""Small synthetic hospitals on which cohorts are compared besides, built once for each user."""

from pathlib import Path

from wardround.core.folders import cache_folder
from wardround.ehr.hospital.default import CODE_VERSION

SEEDS = (101, 102)
PATIENTS = 200


def cohort_hospitals(folder: Path | None = None, patients: int = PATIENTS) -> tuple[Path, ...]:
    """Two hospitals in MIMIC-IV's layout, built on first use; concurrent builds move into place.

    Args:
        folder: The cache folder; by default `wardround` in the user's.
        patients: People in each.
    """
    place = folder or cache_folder()
    paths = [place / f"cohorts-{CODE_VERSION}-{patients}-{seed}.duckdb" for seed in SEEDS]
    for path, seed in zip(paths, SEEDS, strict=True):
        if not path.exists():
            from wardround.ehr.hospital.build import build_hospital

            build_hospital(path, schema="mimic_iv", patients=patients, seed=seed, replace=True)
    return tuple(paths)
