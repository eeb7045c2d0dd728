"""A search as data: criteria that resources must meet, and the form of the result."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from wardround.ehr.fhir.definitions import SearchParameter
from wardround.ehr.fhir.index.values import Interval

Prefix: TypeAlias = Literal["eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap"]


@dataclass(frozen=True, slots=True)
class TokenValue:
    """A code, a system or both; None matches any, an empty system only tokens without one."""

    code: str | None
    system: str | None = None


@dataclass(frozen=True, slots=True)
class StringValue:
    """A string, a URI, or the text of a code."""

    text: str


@dataclass(frozen=True, slots=True)
class DateValue:
    """A time span and how it compares."""

    prefix: Prefix
    span: Interval


@dataclass(frozen=True, slots=True)
class QuantityValue:
    """A number, the span that its precision implies, and perhaps a unit.

    Attributes:
        low, high: the span, its end excluded; for `ap` that of a tenth more or less.
        code: a unit's code; without a system, its code or its text.
    """

    prefix: Prefix
    number: float
    low: float
    high: float
    code: str | None = None
    system: str | None = None


@dataclass(frozen=True, slots=True)
class ReferenceValue:
    """A reference by id, by type and id, or by absolute address that may end in both."""

    id: str = ""
    type: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class CompositeValue:
    """A code and an amount that stand together."""

    token: TokenValue
    quantity: QuantityValue


SearchValue: TypeAlias = (
    TokenValue | StringValue | DateValue | QuantityValue | ReferenceValue | CompositeValue
)
# How values of a parameter are compared where it is not the kind's usual way.
Comparator: TypeAlias = Literal["", "text", "below", "exact", "contains", "identifier"]


@dataclass(frozen=True, slots=True)
class Match:
    """A parameter with values; any of them is enough."""

    parameter: SearchParameter
    values: tuple[SearchValue, ...]
    comparator: Comparator = ""


@dataclass(frozen=True, slots=True)
class Present:
    """A parameter that has a value."""

    parameter: SearchParameter


@dataclass(frozen=True, slots=True)
class Not:
    """A criterion that must not be met."""

    criterion: "Criterion"


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Criteria of which at least one must be met."""

    criteria: tuple["Criterion", ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """A reference to a resource that meets a criterion; by type of that resource."""

    parameter: SearchParameter
    targets: tuple[tuple[str, "Criterion"], ...]


@dataclass(frozen=True, slots=True)
class ReverseChain:
    """Another resource that refers to this one by a parameter, and meets a criterion."""

    parameter: SearchParameter
    target: str
    criterion: "Criterion"


Criterion: TypeAlias = Match | Present | Not | AnyOf | Chain | ReverseChain


@dataclass(frozen=True, slots=True)
class SortKey:
    """A parameter to sort by."""

    parameter: SearchParameter
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A reference whose targets, or whose holders, are part of the result.

    Attributes:
        target: the only type of target that is meant; empty for all.
    """

    parameter: SearchParameter
    target: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a result.

    Attributes:
        count: matches on a page; None is the server's choice.
        only_total: True for the number of matches alone.
        total: True if the Bundle has the number of matches.
        elements: the elements to show; empty for all.
    """

    sort: tuple[SortKey, ...] = ()
    count: int | None = None
    only_total: bool = False
    total: bool = True
    elements: tuple[str, ...] = ()
    include: tuple[Inclusion, ...] = ()
    revinclude: tuple[Inclusion, ...] = ()


@dataclass(frozen=True, slots=True)
class Search:
    """A search of a resource type.

    Attributes:
        criteria: all must be met.
        used: the parameters that were not ignored, as they were written.
    """

    type: str
    criteria: tuple[Criterion, ...] = ()
    form: Form = field(default_factory=Form)
    used: tuple[tuple[str, str], ...] = ()
