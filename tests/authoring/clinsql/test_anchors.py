"""Anchors are drawn from strata that were seldom used, with enough similar patients."""

from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

from tests.authoring.clinsql.conftest import opened_tables
from wardround.authoring.clinsql.anchors import anchor_pool
from wardround.authoring.clinsql.strata import AnchorStratum, Uses
from wardround.ehr.database import open_database


def test_draws_spread_over_every_stratum(hospital: Path) -> None:
    with closing(open_database(f"googlesql:{hospital}")) as database:
        pool = anchor_pool(database, opened_tables(database), 2)
    random, uses = Random(1), Counter[tuple[str, str]]()
    drawn = [_drawn(pool.draw(random, uses).stratum, uses) for _ in range(120)]
    for place, name in enumerate(AnchorStratum._fields):
        there = {anchor.stratum[place] for anchor in pool.anchors}
        counts = Counter(stratum[place] for stratum in drawn)
        assert set(counts) == there, name
    assert (uses["acuity", "ward"], uses["acuity", "intensive care"]) == (54, 66)


def test_anchors_have_enough_similar_patients(hospital: Path) -> None:
    with closing(open_database(f"googlesql:{hospital}")) as database:
        few, many = (anchor_pool(database, opened_tables(database), least) for least in (2, 6))
    assert (len(few.anchors), len(many.anchors)) == (215, 22)
    for anchor in many.anchors:
        similar = {
            other.subject_id
            for other in few.anchors
            if (other.sex, other.condition) == (anchor.sex, anchor.condition)
            and other.age in anchor.ages
        }
        assert len(similar - {anchor.subject_id}) >= 5


def test_questions_about_intensive_care_start_from_a_patient_there(hospital: Path) -> None:
    with closing(open_database(f"googlesql:{hospital}")) as database:
        pool = anchor_pool(database, opened_tables(database), 2)
    random = Random(1)
    assert all(pool.draw(random, Counter(), icu=True).icu for _ in range(20))


def _drawn(stratum: AnchorStratum, uses: Uses) -> AnchorStratum:
    uses.update(stratum._asdict().items())
    return stratum
