"""Admission of writes: resources that are not R4 are refused, or taken with their defects."""

from collections.abc import Iterator
from typing import Any

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.index.references import ADDRESS
from wardround.ehr.fhir.outcome import FhirError, issue
from wardround.ehr.fhir.store.builder import Validation
from wardround.ehr.fhir.store.overlay import Overlay, Version
from wardround.ehr.fhir.validation import Defect, defects

_MOST_DEFECTS = 20  # in an answer


class Admission:
    """Checks written resources against R4, and their references against the record.

    A reference must lead to a resource that readers see at this time; absolute addresses, contained
    resources and types that a record does not hold are not followed.

    Args:
        overlay: the record with its writes.
        validation: `refuse` or `record`.
    """

    def __init__(self, overlay: Overlay, validation: Validation) -> None:
        self._overlay = overlay
        self._validation = validation
        self._written: list[Version] = []

    def check(self, version: Version) -> None:
        """Checks a resource that is about to be written; its references later.

        Raises:
            FhirError: it is not R4 and is refused.
        """
        self._admit(version, defects(version.resource))
        self._written.append(version)

    def check_references(self) -> None:
        """Checks the references of all that was written since the last time.

        Raises:
            FhirError: one leads nowhere and is refused.
        """
        written, self._written = self._written, []
        for version in written:
            self._admit(version, tuple(self._dangling(version.resource, version.type)))

    def forget(self) -> None:
        """Drops what was written by a request that failed."""
        self._written = []

    def _admit(self, version: Version, defects: tuple[Defect, ...]) -> None:
        if not defects:
            return
        if self._validation == "record":
            self._overlay.add_defects(version, ((each.path, each.sentence) for each in defects))
            return
        listed = tuple(
            issue("invalid", each.sentence, expression=each.path)
            for each in defects[:_MOST_DEFECTS]
        )
        number = "a defect" if len(defects) == 1 else f"{len(defects)} defects"
        raise FhirError(
            422,
            "invalid",
            f"The {version.type} has {number}; correct and send it again: {defects[0]}",
            listed,
        )

    def _dangling(self, node: Any, path: str) -> Iterator[Defect]:
        if isinstance(node, list):
            for number, value in enumerate(node):
                yield from self._dangling(value, f"{path}[{number}]")
        elif isinstance(node, dict):
            for name, value in node.items():
                if name == "reference" and isinstance(value, str):
                    yield from self._nobody(value, path)
                else:
                    yield from self._dangling(value, f"{path}.{name}")

    def _nobody(self, reference: str, path: str) -> Iterator[Defect]:
        if reference.startswith("urn:"):
            yield Defect(path, f"Nothing in this request has the address {reference}.")
        address = ADDRESS.fullmatch(reference)
        if address is None or address["base"] or address["type"] not in resource_types():
            return
        current = self._overlay.current(address["type"], address["id"])
        if current is None or current.deleted:
            yield Defect(path, f"There is no {reference} in the record.")
