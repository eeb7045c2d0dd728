"""The resources that `_include` and `_revinclude` add to a page."""

from collections.abc import Iterable, Sequence

from wardround.ehr.fhir.search.conditions import Sql
from wardround.ehr.fhir.search.execution import schemas, selected
from wardround.ehr.fhir.search.membership import VISIBLE, Layer, place
from wardround.ehr.fhir.search.query import Form, Inclusion
from wardround.ehr.fhir.store.overlay import Overlay


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
    found = {key for sql in selects for (key,) in selected(overlay, sql)}
    return sorted(found - set(matches))


def referred(inclusion: Inclusion, keys: str, holder: Layer, target: Layer) -> Sql:
    """The SELECT of the resources in a layer to which resources with some keys refer."""
    table, column, own = place(inclusion.parameter, holder, "r.")
    text = (
        f"SELECT t.key FROM {table} AS r CROSS JOIN {VISIBLE[target.schema]} AS t "
        f"ON t.type = r.type AND t.id = r.id WHERE {column} IN {keys} AND {own.text}"
    )
    return of_type(text, own.values, inclusion.target)


def referring(inclusion: Inclusion, keys: str, holder: Layer, target: Layer) -> Sql:
    """The SELECT of the resources in a layer that refer to resources with some keys."""
    table, column, own = place(inclusion.parameter, holder, "r.")
    text = (
        f"SELECT h.key FROM {VISIBLE[target.schema]} AS t CROSS JOIN {table} AS r "
        f"ON {own.text} AND r.id = t.id AND r.type = t.type "
        f"CROSS JOIN {VISIBLE[holder.schema]} AS h ON h.key = {column} WHERE t.key IN {keys}"
    )
    return of_type(text, own.values, inclusion.target)


def of_type(text: str, values: Iterable[object], kind: str) -> Sql:
    """A SELECT of references, if need be of those to one type only."""
    return Sql(f"{text} AND r.type = ?", (*values, kind)) if kind else Sql(text, tuple(values))
