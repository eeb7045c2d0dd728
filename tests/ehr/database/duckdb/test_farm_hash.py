from tests.cases import for_each
from wardround.ehr.database.duckdb.farm_hash import fingerprint64

# Computed with the published C++ code (pyfarmhash 0.5.1), one for each branch by length.
CASES = {
    0: 11160318154034397263,
    1: 12917804110809363939,
    3: 3268219959478574187,
    4: 8899178591127745170,
    7: 17088493756539222794,
    8: 10643460534063147040,
    16: 17624453864830929246,
    17: 2237273621417572890,
    32: 10824083725960157628,
    33: 8045080651094301868,
    64: 16149515108185634462,
    65: 2768067016444695309,
    128: 10481128642166395277,
    129: 1060550032972533880,
    1000: 15018149181615097552,
}


@for_each(CASES.items())
def test_fingerprints_are_farmhashs(size: int, expected: int) -> None:
    data = bytes(97 + (7 * place) % 26 for place in range(size))
    assert fingerprint64(data) == expected
