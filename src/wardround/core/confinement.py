"""The confinement of a run's agent, as `run.json` records it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from wardround.core import plugins

KEY = "confinement"
ORACLE = "oracle"


class Kind(StrEnum):
    """The standing of a run's agent."""

    OWN = "own"  # wardround's own agent, in its process
    CONFINED = "confined"
    UNCONFINED = "unconfined"  # in a separate process with the account's files and network
    OBJECT = "object"  # a Python object in wardround's process


@dataclass(frozen=True, slots=True)
class Confinement:
    """The confinement of a run's agent.

    Attributes:
        kind: Its standing.
        mechanisms: What the kernel enforced: "namespaces", "landlock", "seccomp".
        allowed: the names given with `--agent-allow`.
    """

    kind: Kind
    mechanisms: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The value in `run.json`."""
        return asdict(self)

    def sentence(self) -> str:
        """A sentence for reports; "" for wardround's own agents.

        >>> Confinement(Kind.CONFINED, ("landlock", "seccomp"), ("net",)).sentence()
        'The agent was confined by landlock and seccomp; allowed: net.'
        """
        match self.kind:
            case Kind.CONFINED:
                allowed = ", ".join(self.allowed) or "nothing more"
                return f"The agent was confined by {listed(self.mechanisms)}; allowed: {allowed}."
            case Kind.UNCONFINED:
                return (
                    "The agent was not confined: files, network and processes of the account were "
                    "in its reach, and the run is not vouched for."
                )
            case Kind.OBJECT:
                return (
                    "The agent was a Python object in wardround's process: not confined, and not "
                    "isolated from the gold."
                )
            case _:
                return ""


def listed(names: tuple[str, ...]) -> str:
    """The names as an enumeration.

    >>> listed(("namespaces", "landlock", "seccomp"))
    'namespaces, landlock and seccomp'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def read_confinement(run: Mapping[str, Any], agent: str) -> Confinement:
    """The confinement that `run.json` records.

    Runs from before the record count as unconfined unless their agent is wardround's own.

    Args:
        run: The content of `run.json`.
        agent: The run's agent.

    >>> read_confinement({}, "oracle").kind
    <Kind.OWN: 'own'>
    """
    if KEY in run:
        values = run[KEY]
        mechanisms, allowed = tuple(values["mechanisms"]), tuple(values["allowed"])
        return Confinement(Kind(values["kind"]), mechanisms, allowed)
    if "agent" in run.get("not_isolated", ()):
        return Confinement(Kind.OBJECT)
    return Confinement(Kind.OWN if is_own(agent) else Kind.UNCONFINED)


def is_own(agent: str) -> bool:
    """True if an agent is wardround's own by its name and runs in its process.

    Code named as `module:function` runs in a separate process, wardround's too.

    >>> is_own("oracle"), is_own("tools"), is_own("wardround.agents.native_tools:open_agents")
    (True, True, False)
    """
    return agent == ORACLE or (":" not in agent and plugins.is_own(plugins.AGENTS, agent))
