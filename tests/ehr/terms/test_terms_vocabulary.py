"""Consistency of the packaged vocabularies."""

from hypothesis import given
from hypothesis import strategies as st

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr import terms
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.conditions import conditions
from wardround.ehr.terms.labs import labs
from wardround.ehr.terms.vocabulary import mixture_of, vocabulary

GENERICS = sorted({drug for found in drug_classes() for drug in found.members})


@given(st.sampled_from(GENERICS))
def test_brands_resolve_to_their_generic(generic: str) -> None:
    assert all(terms.generics(brand) == (generic,) for brand in terms.brands(generic))


@given(st.sampled_from(sorted(vocabulary().generics)))
def test_case_is_ignored(name: str) -> None:
    assert terms.generics(name.upper()) == terms.generics(name) != ()


@given(st.sampled_from(GENERICS))
def test_dose_and_form_are_ignored(generic: str) -> None:
    assert terms.generics(f"{generic} 25 mg tab") == (generic,)


@given(st.sampled_from(GENERICS))
def test_a_drug_is_a_member_of_each_of_its_classes(generic: str) -> None:
    classes = terms.drug_class(generic)
    assert classes
    assert all(generic in terms.members(result.name) for result in classes)


@given(st.text(max_size=40))
def test_lookups_accept_any_text(text: str) -> None:
    terms.generics(text)
    terms.formal_names(text)
    terms.search(text)


@given(st.sampled_from(list(read_rows("wardround.ehr.terms", "lay_terms.tsv"))))
def test_lay_names_are_the_inverse_of_formal_names(row: list[str]) -> None:
    lay, formal = row
    assert terms.formal_names(lay) == split_cell(formal)
    assert all(lay in terms.lay_names(name) for name in split_cell(formal) if name != lay)


def test_vocabularies_have_their_sizes() -> None:
    assert len(drug_classes()) == 186
    assert len(GENERICS) == 813
    assert len(conditions()) == 160
    assert len(labs()) == 112
    assert len(list(read_rows("wardround.ehr.terms", "lay_terms.tsv"))) == 376


def test_conditions_and_side_effects_name_packaged_classes() -> None:
    packaged = {result.name for result in drug_classes()}
    class_names = {name for it in conditions() for name in (*it.first_line, *it.alternatives)}
    assert class_names <= packaged
    assert {name for name, _ in read_rows("wardround.ehr.terms", "side_effects.tsv")} <= packaged


def test_hand_written_names_override_the_built_list() -> None:
    for name, kind, drugs in read_rows("wardround.ehr.terms", "drugs_by_hand.tsv"):
        if kind != "same":
            assert mixture_of(terms.generics(name)) == mixture_of(drugs.split(" + ")), name


def test_only_wider_names_join_classes() -> None:
    assert {"fluoxetine", "duloxetine", "bupropion"} <= set(terms.members("antidepressants"))
    assert "duloxetine" not in terms.members("SSRI")
    assert terms.members("penguin drugs") == ()


def test_classes_for_a_lay_condition() -> None:
    for_pressure = {result.name for result in terms.classes_for("high blood pressure")}
    assert {"ace inhibitor", "beta blocker", "thiazide diuretic"} <= for_pressure


def test_also_known_as_lists_generics_first_and_corrects_a_typo() -> None:
    assert terms.also_known_as("Depakote")[:2] == ("divalproex", "valproic acid")
    assert terms.also_known_as("lopresser")[:2] == ("metoprolol", "lopressor")
    assert "coumadin" in terms.also_known_as("warfarin 5 mg tab")
    assert terms.also_known_as("penguin") == ()


def test_alternatives_match_the_file() -> None:
    assert "hematocrit" in terms.alternative_labs("hgb")
    assert "troponin t" in terms.alternative_labs("troponin i")
    assert "coronary artery bypass graft" in terms.alternative_procedures("PCI")
    assert "peritoneal dialysis" in terms.alternative_procedures("hemodialysis")


def test_reference_range_by_sex() -> None:
    everyone, male = terms.reference_range("hgb"), terms.reference_range("hgb", "male")
    assert everyone == terms.Range(12.0, 17.5, "g/dl")
    assert male == terms.Range(13.5, 17.5, "g/dl")
    assert terms.reference_range("sodium", "female") == terms.Range(136, 145, "meq/l")
    assert terms.reference_range("ana") is None
    assert terms.reference_range("penguin level") is None


def test_articles_name_their_source_and_carry_the_warning() -> None:
    for keyword in ("metoprolol", "statin", "sepsis", "sodium", "ercp"):
        article = terms.search(keyword)[0]
        assert "wardround" in article.source
        assert "not for the care of patients" in article.text
