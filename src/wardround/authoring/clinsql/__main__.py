"""Writes the shipped suite: `python -m wardround.authoring.clinsql`."""

import shutil
from pathlib import Path

from wardround.authoring.clinsql.suite import make_suite
from wardround.ehr.hospital import default_cohort_hospital

SUITE = Path(__file__).parents[2] / "benchmarks/clinsql/suite/items"
COUNT, SEED, COHORT = 60, 0, 20


def main() -> None:
    """Makes the items on the hospital of cohorts, in place of those that are there."""
    shutil.rmtree(SUITE, ignore_errors=True)
    make_suite(str(default_cohort_hospital()), SUITE, COUNT, SEED, COHORT)


if __name__ == "__main__":
    main()
