"""Faults of FHIR requests, and the OperationOutcome that reports them."""

from typing import Any, Literal, TypeAlias

from wardround.ehr.fhir.interaction import Resource, Response

# The codes of HL7's value set issue-type that this server reports.
IssueCode: TypeAlias = Literal[
    "invalid", "structure", "required", "value", "not-supported", "not-found", "deleted",
    "conflict", "too-costly", "too-long", "forbidden", "processing", "exception", "informational",
]  # fmt: skip


class FhirError(Exception):
    """A request that cannot be answered as asked.

    Attributes:
        status: the HTTP status.
        code: the kind of issue.
        diagnostics: one sentence: the fault, its place, and the remedy.
        details: further issues, such as one for each defect of a resource.
    """

    def __init__(
        self, status: int, code: IssueCode, diagnostics: str, details: tuple[Resource, ...] = ()
    ) -> None:
        super().__init__(diagnostics)
        self.status, self.code, self.diagnostics = status, code, diagnostics
        self.details = details

    def response(self) -> Response:
        """The response that reports it."""
        body = outcome(self.code, self.diagnostics)
        body["issue"] += self.details
        return Response(self.status, body)


def outcome(code: IssueCode, diagnostics: str) -> Resource:
    """An OperationOutcome with one issue, an error unless it informs only."""
    severity = "information" if code == "informational" else "error"
    return {"resourceType": "OperationOutcome", "issue": [issue(code, diagnostics, severity)]}


def issue(
    code: IssueCode, diagnostics: str, severity: str = "error", expression: str = ""
) -> dict[str, Any]:
    """An issue of an OperationOutcome, with the element that it is about."""
    element: dict[str, Any] = {"severity": severity, "code": code, "diagnostics": diagnostics}
    return element | ({"expression": [expression]} if expression else {})
