"""eICU's tables of care plans, nursing and examination."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.layouts.eicu.charting import EYES, MOTOR, VERBAL, Times, by_time
from wardround.ehr.hospital.layouts.eicu.unit_stay import UNIT_KEYS, UnitStay, unit_row
from wardround.ehr.hospital.layouts.layout import RowWriter, TableRow, Value

_EXAM = "notes/Progress Notes/Physical Exam/"
_SPECIALTIES = {
    "medical": "internal medicine",
    "surgical": "surgery-general",
    "trauma": "surgery-trauma",
    "coronary": "cardiology",
    "cardiac": "cardiology",
    "cardiovascular": "surgery-cardiac",
    "neuro": "neurology",
}
_SITES = {"urine": "Urinary tract", "sputum": "Lung", "blood": "Blood", "wound": "Wound"}
_LIMITS = {
    "Full code": "Full therapy",
    "DNR / DNI": "Do not resuscitate",
    "Comfort measures only": "Comfort measures only",
}
_PLANNED, _SHIFT = 30, timedelta(hours=12)
_ACTIVE: dict[str, Value] = {"activeupondischarge": "True"}
_CELL = ("cellattributepath", "cellattribute", "cellattributevalue")
_CARE_ROW = RowWriter(
    "eicu",
    "nursecare",
    "celllabel",
    "nursecareoffset",
    "nursecareentryoffset",
    *_CELL,
    numbered_later=UNIT_KEYS,
)
_ASSESSMENT_ROW = RowWriter(
    "eicu",
    "nurseassessment",
    "celllabel",
    "nurseassessoffset",
    "nurseassessentryoffset",
    *_CELL,
    numbered_later=UNIT_KEYS,
)
_EXAM_ROW = RowWriter(
    "eicu",
    "physicalexam",
    "physicalexamoffset",
    "physicalexampath",
    "physicalexamvalue",
    "physicalexamtext",
    numbered_later=UNIT_KEYS,
)
_FLOWSHEET = "flowsheet|Flowsheet Cell Labels|"
_TASKS = (
    ("Safety", "Assessment", "safety risk assessed"),
    ("Safety", "Bed Position", "low"),
    ("Safety", "Safety Check", "ID band verified"),
    ("Activity", "Activity", "HOB 30 degrees"),
    ("Hygiene/ADLs", "Hygiene/ADLs", "oral care"),
)


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """Care plans, nursing of each shift, and daily examinations."""
    yield from _plans(unit)
    times = by_time(unit.visit, unit.episode)
    for time in _every(unit, _SHIFT):
        yield from _nursing(unit, time)
    for time in _every(unit, timedelta(days=1)):
        yield from _examination_rows(unit, time, times)


def specialty(unit: UnitStay) -> str:
    """The managing physician's specialty."""
    return _SPECIALTIES[unit.visit.stay.reason.unit]


def _every(unit: UnitStay, gap: timedelta) -> Iterator[datetime]:
    time = unit.span.start + timedelta(hours=1)
    while time < unit.span.end:
        yield time
        time += gap


def _plans(unit: UnitStay) -> Iterator[TableRow]:
    stay, draw = unit.visit.stay, unit.draw("plans")
    ventilated = [item for item in unit.visit.devices if item.kind == "ventilation"]
    here = any(device.episode == unit.episode for device in ventilated)
    plans = {
        "Airway": "Intubated/oral ETT" if here else "Not intubated/normal airway",
        "Ventilation": "Ventilated - with daily extubation evaluation"
        if here
        else "Spontaneous - adequate",
        "Activity": "Bedrest" if here else "HOB 30 degrees",
        "Sedation": "Continuous infusion - with daily holiday" if here else "None",
        "DVT Prophylaxis": draw.weighted({"Drug therapy": 0.6, "Compression devices": 0.4}),
        "Stress Ulcer Prophylaxis": draw.weighted(
            {"Proton pump inhibitor": 0.5, "H-2 antagonists": 0.2, "Not indicated": 0.3}
        ),
        "Acuity": "High" if here or stay.severity > 1.1 else "Intermediate",
    }
    for group, value in plans.items():
        yield _plan_row(_PLANNED, group, value)
    for since, status in unit.visit.code_status:
        if since < unit.span.end:
            offset = max(_PLANNED, unit.offset(since))
            yield _plan_row(offset, "Care Limitation", _LIMITS[status])
            if status != "Full code":
                offsets = {"cpleolsaveoffset": offset, "cpleoldiscussionoffset": offset - 20}
                yield unit_row("careplaneol", {**offsets, **_ACTIVE})
    provider: dict[str, Value] = {
        "careprovidersaveoffset": _PLANNED,
        "specialty": specialty(unit),
        "interventioncategory": "I",
        "managingphysician": "Managing",
    }
    yield unit_row("careplancareprovider", {**provider, **_ACTIVE})
    goals = {
        "Cardiovascular": "Vital signs within normal parameters",
        "Pulmonary": "Pulse oximetry within ordered parameters",
        "Infection/Labs": "Absence of fever",
    }
    for category, goal in goals.items():
        columns: dict[str, Value] = {
            "cplgoaloffset": _PLANNED + 15,
            "cplgoalcategory": category,
            "cplgoalvalue": goal,
            "cplgoalstatus": "Active",
            "activeupondischarge": str(draw.chance(0.7)),
        }
        yield unit_row("careplangoal", columns)
    yield from _infections(unit)


def _plan_row(offset: int, group: str, value: str) -> TableRow:
    plan: dict[str, Value] = {"cplitemoffset": offset, "cplgroup": group, "cplitemvalue": value}
    return unit_row("careplangeneral", {**plan, **_ACTIVE})


def _infections(unit: UnitStay) -> Iterator[TableRow]:
    seen: set[str] = set()
    for culture in unit.visit.cultures:
        site = _SITES.get(culture.source)
        if culture.organism and site and site not in seen and unit.span.holds(culture.time):
            seen.add(site)
            offset = unit.offset(culture.reported or culture.time)
            infection: dict[str, Value] = {
                "cplinfectdiseaseoffset": offset,
                "infectdiseasesite": site,
                "infectdiseaseassessment": "Definite infection",
                "treatment": "Directed",
            }
            yield unit_row("careplaninfectiousdisease", {**infection, **_ACTIVE})


def _nursing(unit: UnitStay, time: datetime) -> Iterator[TableRow]:
    offset = unit.offset(time)
    for label, attribute, value in _TASKS:
        path = f"{_FLOWSHEET}Nursing Care|{label}|{label}|{attribute}"
        yield _CARE_ROW(label, offset, offset + 4, path, attribute, value)
    findings = (
        ("Respiratory", "Pattern", "Pattern", "regular"),
        ("Neurologic", "Neurologic", "LOC", "normal" if not _is_sedated(unit, time) else "sedated"),
        ("Cardiovascular", "Auscultation", "Heart Sounds", "normal"),
        ("Cardiovascular", "Edema", "Edema", _edema(unit)),
    )
    for system, label, attribute, value in findings:
        path = f"{_FLOWSHEET}Nursing Assessment|{system}|{label}|{attribute}"
        yield _ASSESSMENT_ROW(label, offset, offset + 5, path, attribute, value)


def _is_sedated(unit: UnitStay, time: datetime) -> bool:
    return any(
        device.kind == "ventilation" and device.start <= time < device.end
        for device in unit.visit.devices
    )


def _edema(unit: UnitStay) -> str:
    swollen = ("heart_failure", "heart_failure_exacerbation", "cirrhosis", "ascites", "dialysis")
    return "generalized" if any(unit.visit.stay.has(name) for name in swollen) else "none"


def _examination_rows(unit: UnitStay, time: datetime, times: Times) -> Iterator[TableRow]:
    """The structured examination with the last charted coma score."""
    offset = unit.offset(time)
    last = [readings for at, readings in times.items() if at <= time and MOTOR in readings]
    yield _exam_row(offset, "Physical Exam Obtain Options/Performed - Structured")
    weight = f"{unit.visit.stay.person.weight:g}"
    path = f"{_EXAM}Physical Exam/Constitutional/Weight and I&O/Weight (kg)/Admission"
    yield _EXAM_ROW(offset, path, "Admission", weight)
    if last:
        yield _exam_row(offset, "Physical Exam/Neurologic/GCS/Score/scored")
        for name, item in (("Eyes", EYES), ("Verbal", VERBAL), ("Motor", MOTOR)):
            score = f"{last[-1][item].value:g}"
            yield _exam_row(offset, f"Physical Exam/Neurologic/GCS/{name} Score/{score}")


def _exam_row(offset: int, path: str) -> TableRow:
    value = path.rsplit("/", 1)[-1]
    return _EXAM_ROW(offset, _EXAM + path, value, value)
