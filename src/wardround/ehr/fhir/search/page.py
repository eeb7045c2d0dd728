"""A page of a result: the entries that fit, and the links to itself and to the next page."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.outcome import FhirError
from wardround.ehr.fhir.reads import as_read
from wardround.ehr.fhir.search.conditions import Sql
from wardround.ehr.fhir.search.execution import read_versions, schemas, selected
from wardround.ehr.fhir.search.membership import VISIBLE, Layer, index_rows
from wardround.ehr.fhir.search.query import Form, Inclusion
from wardround.ehr.fhir.search.snapshot import Snapshot, Snapshots, key_list
from wardround.ehr.fhir.store.overlay import Overlay, Version

DEFAULT_COUNT = 20
MOST_ENTRIES = 1_000
MOST_BYTES = 5_000_000
# The part of an entry beside its resource, in bytes.
ENTRY_BYTES = 400
PAGE = re.compile(r"(\d{1,12})-(\d{1,12})", re.ASCII)
ALWAYS_SHOWN = ("resourceType", "id", "meta")
SUBSETTED = {
    "system": "http://terminology.hl7.org/CodeSystem/v3-ObservationValue",
    "code": "SUBSETTED",
}


@dataclass(frozen=True, slots=True)
class Pager:
    """Makes the pages of searches.

    Attributes:
        overlay: the record.
        snapshots: the results that have further pages.
    """

    overlay: Overlay
    snapshots: Snapshots

    def first(self, snapshot: Snapshot, used: tuple[tuple[str, str], ...]) -> Resource:
        """The first page of a new result.

        Args:
            snapshot: the result.
            used: the parameters of the search for the link to itself.
        """
        query = urlencode(used, safe="/:|,$*")
        address = f"{snapshot.address}?{query}" if query else snapshot.address
        return self._bundle(snapshot, 0, address, number=None)

    def later(self, page: str) -> Resource:
        """The page that a link to the next page names.

        Raises:
            FhirError: there is no such page.
        """
        match = PAGE.fullmatch(page)
        if not match:
            raise FhirError(400, "value", f"{page!r} is not a page; follow the links of a result.")
        number, start = int(match[1]), int(match[2])
        snapshot = self.snapshots.get(number)
        if start > len(snapshot.matches):
            end = len(snapshot.matches)
            raise FhirError(
                404, "not-found", f"The page begins at {start}, but the result ends at {end}."
            )
        return self._bundle(snapshot, start, f"{snapshot.address}?_page={page}", number)

    def _bundle(self, snapshot: Snapshot, start: int, address: str, number: int | None) -> Resource:
        bundle: Resource = {"resourceType": "Bundle", "type": "searchset"}
        links = [{"relation": "self", "url": address}]
        form = snapshot.form
        if form.total or form.only_total:
            bundle["total"] = len(snapshot.matches)
        bundle["link"] = links
        if form.only_total:
            return bundle
        entries, end, waiting = self._entries(snapshot, start)
        if waiting:
            number = self.snapshots.add(replace(snapshot, included=key_list(waiting)))
        elif snapshot.included and end < len(snapshot.matches):
            number = self.snapshots.add(replace(snapshot, included=key_list(())))
        if waiting or end < len(snapshot.matches):
            number = number or self.snapshots.add(snapshot)
            links.append({"relation": "next", "url": f"{snapshot.address}?_page={number}-{end}"})
        if entries:
            bundle["entry"] = entries
        return bundle

    def _entries(self, snapshot: Snapshot, start: int) -> tuple[list[Resource], int, list[int]]:
        """The entries from a match on, the match after the last, and what was left out."""
        form, room = snapshot.form, Room()
        entries, end = list[Resource](), start
        if not snapshot.included:
            block = snapshot.matches[start : start + (form.count or DEFAULT_COUNT)]
            for version, size in read_versions(self.overlay, block):
                if not room.takes(size):
                    break
                entries.append(entry(version, form, "match"))
                end += 1
            keys = snapshot.matches[start:end]
            waiting = included_keys(self.overlay, form, keys) if has_inclusions(form) else []
        else:
            waiting = list(snapshot.included)
        count = 0
        for version, size in read_versions(self.overlay, waiting):
            if not room.takes(size):
                break
            entries.append(entry(version, form, "include"))
            count += 1
        return entries, end, waiting[count:]


@dataclass(slots=True)
class Room:
    """The room that is left on a page."""

    entries: int = 0
    bytes: int = 0

    def takes(self, size: int) -> bool:
        """True if another entry fits; the first always does."""
        size += ENTRY_BYTES
        fits = self.entries < MOST_ENTRIES and self.bytes + size <= MOST_BYTES
        if fits or not self.entries:
            self.entries, self.bytes = self.entries + 1, self.bytes + size
            return True
        return False


def has_inclusions(form: Form) -> bool:
    """True if a result has more than its matches."""
    return bool(form.include or form.revinclude)


def entry(version: Version, form: Form, mode: str) -> Resource:
    """An entry of a Bundle."""
    resource = as_read(version)
    if form.elements and mode == "match":
        resource = reduced(resource, form.elements)
    address = f"{version.type}/{version.id}"
    return {"fullUrl": address, "resource": resource, "search": {"mode": mode}}


def reduced(resource: Resource, elements: tuple[str, ...]) -> Resource:
    """A resource with some elements only, marked as such."""
    names = {*ALWAYS_SHOWN, *elements}
    small: dict[str, Any] = {name: value for name, value in resource.items() if name in names}
    meta = resource.get("meta", {})
    small["meta"] = {**meta, "tag": [*meta.get("tag", ()), SUBSETTED]}
    return small


def included_keys(overlay: Overlay, form: Form, matches: Sequence[int]) -> list[int]:
    """The keys of the resources that a page includes beside its matches, each once.

    Args:
        overlay: the record.
        form: the form of the result.
        matches: the keys of the page's matches.
    """
    known = schemas(overlay)
    layers = [Layer(schema, known) for schema in known]
    listed = f"({', '.join(map(str, matches)) or 'NULL'})"
    selects = [
        *(referred(each, listed, a, b) for each in form.include for a in layers for b in layers),
        *(
            referring(each, listed, a, b)
            for each in form.revinclude
            for a in layers
            for b in layers
        ),
    ]
    included = {key for sql in selects for (key,) in selected(overlay, sql)}
    return sorted(included - set(matches))


def referred(inclusion: Inclusion, keys: str, holder: Layer, target: Layer) -> Sql:
    """The SELECT of the resources in a layer to which resources with some keys refer."""
    table, column, filter = index_rows(inclusion.parameter, holder, "r.")
    text = (
        f"SELECT t.key FROM {table} AS r CROSS JOIN {VISIBLE[target.schema]} AS t "
        f"ON t.type = r.type AND t.id = r.id WHERE {column} IN {keys} AND {filter.text}"
    )
    return of_type(text, filter.values, inclusion.target)


def referring(inclusion: Inclusion, keys: str, holder: Layer, target: Layer) -> Sql:
    """The SELECT of the resources in a layer that refer to resources with some keys."""
    table, column, filter = index_rows(inclusion.parameter, holder, "r.")
    text = (
        f"SELECT h.key FROM {VISIBLE[target.schema]} AS t CROSS JOIN {table} AS r "
        f"ON {filter.text} AND r.id = t.id AND r.type = t.type "
        f"CROSS JOIN {VISIBLE[holder.schema]} AS h ON h.key = {column} WHERE t.key IN {keys}"
    )
    return of_type(text, filter.values, inclusion.target)


def of_type(text: str, values: Iterable[object], kind: str) -> Sql:
    """A SELECT of references, if need be of those to one type only."""
    return Sql(f"{text} AND r.type = ?", (*values, kind)) if kind else Sql(text, tuple(values))
