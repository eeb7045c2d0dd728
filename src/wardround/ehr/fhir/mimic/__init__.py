"""FHIR resources of a database in MIMIC-IV's layout, as MIMIC-IV on FHIR 2.1.0 has them."""

from collections.abc import Collection, Iterator

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.administrations import ADMINISTRATIONS
from wardround.ehr.fhir.mimic.chart_events import CHARTING, OUTPATIENTS
from wardround.ehr.fhir.mimic.conversion import Conversion
from wardround.ehr.fhir.mimic.encounters import DIAGNOSES, ENCOUNTERS
from wardround.ehr.fhir.mimic.laboratory import LABORATORY_RESULTS
from wardround.ehr.fhir.mimic.microbiology import MICROBIOLOGY
from wardround.ehr.fhir.mimic.notes import NOTES
from wardround.ehr.fhir.mimic.orders import ORDERS
from wardround.ehr.fhir.mimic.patients import PATIENTS
from wardround.ehr.fhir.mimic.source import Source
from wardround.ehr.fhir.mimic.zone import Zone

# The time zone of MIMIC-IV's hospital.
HOSPITAL_ZONE = "America/New_York"
VERSION = 2  # raise it when the conversion changes, so that cached records are built anew
CONVERSIONS: tuple[Conversion, ...] = (
    *PATIENTS, *ENCOUNTERS, *DIAGNOSES, *LABORATORY_RESULTS, *CHARTING, *OUTPATIENTS,
    *MICROBIOLOGY, *ORDERS, *ADMINISTRATIONS, *NOTES,
)  # fmt: skip


def resources(
    location: str, zone: str = HOSPITAL_ZONE, patients: Collection[int] = ()
) -> Iterator[Resource]:
    """The resources of a database, patients and encounters first; absent tables have none.

    Args:
        location: a DuckDB file in MIMIC-IV's layout, published or synthetic.
        zone: the time zone of its times.
        patients: the patients to convert, by subject_id; empty for all.

    Raises:
        UserError: The file cannot be read or has another layout, or there is no such zone.
    """
    offsets, source = Zone(zone), Source(location, patients)
    return _converted(source, offsets)


def absent_tables(location: str) -> dict[str, tuple[str, ...]]:
    """The tables of MIMIC-IV and its notes that a database does not have.

    Returns:
        By absent table, the kinds of resources that need it, perhaps none.

    Raises:
        UserError: The file cannot be read or has another layout.
    """
    source = Source(location)
    source.close()
    return {
        table: tuple(each.name for each in CONVERSIONS if table in each.tables)
        for table in source.absent
    }


def _converted(source: Source, zone: Zone) -> Iterator[Resource]:
    try:
        for conversion in CONVERSIONS:
            yield from conversion.resources(source, zone)
    finally:
        source.close()
