"""Search: from a query to SQL, and from rows to a Bundle."""

from typing import TYPE_CHECKING

from wardround.ehr.fhir.interaction import Request, Response
from wardround.ehr.fhir.outcome import FhirError

if TYPE_CHECKING:
    from wardround.ehr.fhir.workspace import Workspace


def answer(workspace: "Workspace", request: Request, parts: list[str], query: str) -> Response:
    """Answers a search of a type, of a compartment or of everything about a patient."""
    raise FhirError(501, "not-supported", f"{request.path} is not supported yet.")
