"""Writes the shipped suite: `python -m tools.suites.clinsql`."""

import shutil
from collections import Counter
from pathlib import Path

from wardround.authoring.clinsql.suite import make_suite
from wardround.ehr.hospital import default_cohort_hospital

SUITE = Path(__file__).parents[2] / "src/wardround/benchmarks/clinsql/suite/items"
COUNT, SEED, COHORT = 60, 0, 20


def main() -> None:
    """Makes the items on the hospital of cohorts, in place of those that are there."""
    shutil.rmtree(SUITE, ignore_errors=True)
    made = make_suite(str(default_cohort_hospital()), SUITE, COUNT, SEED, COHORT)
    dropped = Counter(finding.check for finding in made.findings)
    reasons = ", ".join(f"{count} {reason}" for reason, count in dropped.most_common())
    print(f"{sum(made.counts.values())} items; drafts dropped: {reasons}.")


if __name__ == "__main__":
    main()
