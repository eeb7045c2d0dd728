"""Rows of the tables `discharge` and `radiology`."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta

from wardround.ehr.hospital.layouts.layout import Row, TableRow
from wardround.ehr.hospital.layouts.mimic_iv.notes.discharge_summary import discharge_summary
from wardround.ehr.hospital.layouts.mimic_iv.notes.radiology_reports import reports
from wardround.ehr.hospital.layouts.mimic_iv.notes.stay_chart import StayChart
from wardround.ehr.hospital.patient_record import PatientRecord
from wardround.ehr.hospital.stays import NOW


def rows(record: PatientRecord, by: timedelta) -> Iterator[TableRow]:
    """A person's notes; a stay that is still open has no summary.

    Args:
        record: The person's record.
        by: The shift of the person's dates.
    """
    summaries = examinations = 0
    for visit in record.visits:
        chart = StayChart(visit, by)
        imaging = reports(chart)
        for report in imaging:
            examinations += 1
            row = _row(chart, "RR", examinations, report.time, report.time, report.text)
            yield "radiology", row
        if not visit.stay.open:
            summaries += 1
            # A summary has the day of its writing only, as published.
            day = datetime.combine(visit.stay.end, time())
            text = discharge_summary(chart, imaging)
            yield "discharge", _row(chart, "DS", summaries, day, visit.stay.end, text)


def _row(
    chart: StayChart, kind: str, number: int, charted: datetime, written: datetime, text: str
) -> Row:
    """A row: ids, type, number, times and text; a note is stored some hours after it is written."""
    subject = chart.stay.person.subject_id
    delay = timedelta(minutes=chart.draw(f"stored:{kind}:{number}").whole(40, 600))
    return (
        f"{subject}-{kind}-{number}",
        subject,
        chart.stay.hadm_id,
        kind,
        number,
        charted + chart.by,
        min(NOW, written + delay) + chart.by,
        text,
    )
