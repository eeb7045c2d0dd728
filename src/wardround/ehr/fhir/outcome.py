"""Faults of FHIR requests, and the OperationOutcome that reports them."""

from typing import Literal, TypeAlias

from wardround.ehr.fhir.interaction import Resource, Response

# The codes of HL7's value set issue-type that this server reports.
IssueCode: TypeAlias = Literal[
    "invalid", "structure", "required", "value", "not-supported", "not-found", "deleted",
    "conflict", "too-costly", "too-long", "forbidden", "processing", "exception",
]  # fmt: skip


class FhirError(Exception):
    """A request that cannot be answered as asked.

    Attributes:
        status: the HTTP status.
        code: the kind of issue.
        diagnostics: one sentence: the fault, its place, and the remedy.
    """

    def __init__(self, status: int, code: IssueCode, diagnostics: str) -> None:
        super().__init__(diagnostics)
        self.status, self.code, self.diagnostics = status, code, diagnostics

    def response(self) -> Response:
        """The response that reports it."""
        return Response(self.status, outcome(self.code, self.diagnostics))


def outcome(code: IssueCode, diagnostics: str) -> Resource:
    """An OperationOutcome with one error."""
    issue = {"severity": "error", "code": code, "diagnostics": diagnostics}
    return {"resourceType": "OperationOutcome", "issue": [issue]}
