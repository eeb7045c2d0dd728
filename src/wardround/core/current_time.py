"""The current time of questions about a database."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CurrentTime:
    """The time that questions about a database take for now.

    Attributes:
        time: the time, as "2100-12-31 23:59:00".
        reason: why it is not the published one; "" if it is, or if the user named it.
    """

    time: str
    reason: str = ""

    def as_json(self) -> dict[str, str]:
        """Its entry of `run.json`."""
        return {"time": self.time, **({"reason": self.reason} if self.reason else {})}
