"""Search: from a query to SQL, and from rows to a Bundle."""

from wardround.ehr.fhir.search.answer import answer

__all__ = ["answer"]
