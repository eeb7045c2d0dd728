"""Building drugs.tsv from two tiny vocabularies."""

import bz2
import pickle
from pathlib import Path

from tools.drug_names import Row, build

UNII = """\
Name\tTYPE\tUNII\tDisplay Name
COUMADIN\tbn\tA\tWARFARIN SODIUM
PERCOCET COMPONENT OXYCODONE\tcn\tB\tOXYCODONE HYDROCHLORIDE
PERCOCET COMPONENT ACETAMINOPHEN\tcn\tC\tACETAMINOPHEN
PAINTOL\tbn\tD\tTITANIUM DIOXIDE
WARFARIN SODIUM\tof\tA\tWARFARIN SODIUM
"""
DNER = {
    "drug_canonical_to_data": {"warfarin": {"medline_plus_id": "a"}, "oddity": {"mesh_id": "b"}},
    "drug_variant_to_canonical": {
        "coumadin": ["warfarin"],
        "marevan": ["warfarin"],
        "warfarinum": ["warfarin"],
        "warfarin injection": ["warfarin"],
        "oddbrand": ["oddity"],
    },
}


def test_build_lists_brands_of_known_drugs_with_their_source(tmp_path: Path) -> None:
    unii, dner = tmp_path / "unii.txt", tmp_path / "dner.bz2"
    unii.write_text(UNII)
    dner.write_bytes(bz2.compress(pickle.dumps(DNER)))
    assert list(build(unii, dner)) == [
        Row("coumadin", "brand", "warfarin", "both"),
        Row("marevan", "brand", "warfarin", "dner"),
        Row("percocet", "brand", "acetaminophen + oxycodone", "unii"),
    ]
