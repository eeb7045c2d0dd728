"""Clinical plausibility of the hospital.

Counts are those of the seed; measured values are held to ranges of the clinic.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from statistics import median

from wardround.ehr.hospital.antibiotics import slot_of
from wardround.ehr.hospital.catalogue import drugs, labs
from wardround.ehr.hospital.microbiology import CONTAMINANT
from wardround.ehr.hospital.patient_record import PatientRecord, Visit, patient_record
from wardround.ehr.hospital.stays import NOW

PEOPLE = 300
CLASS = {(drug.name, drug.route): drug.group for items in drugs().values() for drug in items}


@cache
def charts() -> tuple[PatientRecord, ...]:
    return tuple(patient_record(3, index) for index in range(PEOPLE))


def visits() -> Iterator[Visit]:
    for record in charts():
        yield from record.visits


def values(visit: Visit, test: str) -> list[float]:
    return [result.value for result in visit.results if result.lab.name == test]


def test_transfusions_treat_anaemia() -> None:
    before, after = [], []
    for visit in visits():
        units = visit.stay.transfusions
        counts = [(r.time, r.value) for r in visit.results if r.lab.name == "hemoglobin"]
        if units:
            before += [value for time, value in counts if time <= units[0]][-1:]
            last = units[-1] + timedelta(hours=12)
            after += [value for time, value in counts if time > last][:1]
    assert (len(before), sum(value >= 9.7 for value in before)) == (98, 2)
    assert max(before) < 11
    assert median(before) < 8
    assert median(after) > median(before) + 0.8


def test_only_transfused_stays_have_the_procedure() -> None:
    for visit in visits():
        done = any(item.procedure.name == "transfusion" for item in visit.done)
        assert done == bool(visit.stay.transfusions)


def test_control_of_warfarin_and_diabetes_varies() -> None:
    ratios, sugars = [], []
    for visit in visits():
        if visit.stay.has("warfarin_user"):
            ratios += values(visit, "inr")
        if visit.stay.has("diabetes_2"):
            sugars += values(visit, "hemoglobin_a1c")
    assert 1.9 < median(ratios) < 3.2
    assert max(ratios) > 4
    assert 6 < median(sugars) < 8.5
    assert max(sugars) > 10


def test_high_fever_and_extreme_salts_are_rare_but_occur() -> None:
    fevers = [r.value or 0 for v in visits() for r in v.readings if r.item == 223762]
    assert max(fevers) > 39
    assert (sum(value >= 38.3 for value in fevers), len(fevers)) == (35, 1218)
    extreme = {}
    for test, low, high in (("sodium", 125, 150), ("potassium", 3.0, 6.0)):
        result = [value for visit in visits() for value in values(visit, test)]
        extreme[test] = (sum(value < low or value > high for value in result), len(result))
    assert extreme == {"sodium": (86, 4128), "potassium": (84, 4128)}


def early_and_later(reasons: set[str], test: str) -> tuple[float, float]:
    """Medians of a test in the first 4 hours and between 12 and 36 hours."""
    first, later = [], []
    for visit in visits():
        if visit.stay.reason.name in reasons and not visit.stay.died:
            for result in visit.results:
                hours = (result.time - visit.stay.admitted).total_seconds() / 3600
                if result.lab.name == test:
                    first += [result.value] * (hours < 4)
                    later += [result.value] * (12 <= hours < 36)
    return median(first), median(later)


def test_insulin_corrects_ketoacidosis_within_a_day() -> None:
    before, after = early_and_later({"ketoacidosis"}, "glucose")
    assert before > 400
    assert after < 300
    before, after = early_and_later({"ketoacidosis"}, "bicarbonate")
    assert before < 16
    assert after > 18


def test_heparin_prolongs_clotting_time() -> None:
    _, treated = early_and_later({"pulmonary_embolism", "nstemi", "stemi"}, "ptt")
    _, later = early_and_later({"pneumonia", "kidney_failure", "heart_failure_exacerbation"}, "ptt")
    assert treated > 50
    assert later < 40


def test_nobody_takes_two_anticoagulants_permanently() -> None:
    anticoagulants = {"warfarin", "apixaban", "rivaroxaban", "dabigatran etexilate"}
    result = [{order.name for order in visit.orders} & anticoagulants for visit in visits()]
    assert Counter(map(len, result)) == {0: 269, 1: 126}


def test_influenza_vaccine_is_given_once_and_in_its_season() -> None:
    vaccinations = 0
    for record in charts():
        days = [
            order.start
            for visit in record.visits
            for order in visit.orders
            if "influenza vaccine" in order.name
        ]
        vaccinations += len(days)
        assert all(day.month in (10, 11, 12, 1, 2, 3) for day in days)
        assert all((late - early).days > 90 for early, late in pairwise(sorted(days)))
    assert vaccinations == 12


def test_orders_respect_allergies() -> None:
    allergic = 0
    for record in charts():
        barred = {group for allergy in record.person.allergies for group in allergy.avoids}
        allergic += bool(barred)
        for visit in record.visits:
            for order in visit.orders:
                group = CLASS.get((order.name, order.route))
                assert order.carrier or group not in barred or order.name == "heparin"
    assert allergic == 92


def test_antibiotics_of_a_slot_do_not_overlap() -> None:
    for visit in visits():
        courses: dict[str, list[tuple[datetime, datetime, str]]] = {}
        for order in visit.orders:
            group = CLASS.get((order.name, order.route), "")
            kind = slot_of(group)
            if kind in ("backbone", "gram_positive") and not order.carrier:
                courses.setdefault(kind, []).append((order.start, order.stop or NOW, group))
        for orders in courses.values():
            for (_, stop, group), (start, _, next_group) in pairwise(sorted(orders)):
                assert group == next_group or stop <= start + timedelta(hours=2)


def test_antibiotics_are_narrowed_after_the_culture_result() -> None:
    """After a report of susceptible S. aureus, fewer are on vancomycin than before."""
    on, off = 0, 0
    for visit in visits():
        for culture in visit.cultures:
            answers = {item.antibiotic: item.interpretation for item in culture.susceptibilities}
            if culture.reported and answers.get("oxacillin") == "S":
                day = culture.reported + timedelta(hours=14)
                vanc = [o for o in visit.orders if o.name == "vancomycin" and o.route == "iv"]
                on += any(o.start < culture.reported for o in vanc)
                off += any(o.start < day <= (o.stop or visit.stay.end) for o in vanc)
    assert (on, off) == (20, 7)


def test_isolates_have_susceptibilities_and_contaminants_are_rare() -> None:
    grown = [c for v in visits() for c in v.cultures if c.organism]
    coli = [c for c in grown if c.organism == "escherichia coli"]
    assert len(coli) == 188
    assert all(len(c.susceptibilities) > 8 for c in coli)
    assert all(c.reported and c.reported > c.time for c in grown)
    assert (sum(c.organism == CONTAMINANT for c in grown), len(grown)) == (15, 424)


def test_values_worsen_before_death() -> None:
    pressures: dict[bool, list[float]] = {True: [], False: []}
    lactates: dict[bool, list[float]] = {True: [], False: []}
    for visit in visits():
        stay = visit.stay
        if stay.open or not stay.intensive or (stay.died and stay.intensive[-1].end < stay.end):
            continue
        since = stay.intensive[-1].end - timedelta(hours=8)
        until = stay.intensive[-1].end
        for item in visit.observations:
            if item.item == 220179 and since < item.time <= until and item.value:
                pressures[stay.died].append(item.value)
        lactates[stay.died] += values(visit, "lactate")[-1:]
    assert median(pressures[True]) < median(pressures[False]) - 20
    assert median(lactates[True]) > median(lactates[False]) + 1


def test_icu_readmissions_occur() -> None:
    assert Counter(len(visit.stay.intensive) for visit in visits()) == {0: 190, 1: 180, 2: 25}
    for visit in visits():
        for first, second in pairwise(visit.stay.intensive):
            assert first.end < second.start
        if visit.stay.intensive:
            assert visit.stay.intensive[-1].end <= visit.stay.end


def test_devices_and_ventilation_are_within_icu_stays() -> None:
    kinds = set()
    for visit in visits():
        for device in visit.devices:
            span = visit.stay.intensive[device.episode]
            assert span.start <= device.start < device.end <= span.end
            kinds.add(device.kind)
    assert kinds == {"ventilation", "peripheral", "invasive", "tube"}


def test_ventilated_patients_do_not_speak() -> None:
    checked = 0
    for visit in visits():
        spans = [(d.start, d.end) for d in visit.devices if d.kind == "ventilation"]
        for item in visit.observations:
            inside = any(start <= item.time < end for start, end in spans)
            if item.item == 223900 and inside:
                assert item.text == "No Response-ETT"
                checked += 1
    assert checked == 347


def test_results_outside_the_range_are_abnormal() -> None:
    for visit in visits():
        for result in visit.results:
            lab = labs()[result.lab.name]
            high = lab.high or result.value
            assert result.abnormal != (lab.low <= result.value <= high)
            assert result.stored >= result.time
