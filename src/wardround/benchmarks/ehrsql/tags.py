"""What EHRSQL's tags say of a question, as labels to break results down by (paper, 3.1, B)."""

import ast
import re
from collections.abc import Sequence

_EXPRESSIONS = {"abs": "absolute", "rel": "relative", "mix": "mixed"}
# The places of the five time tags: two global filters, one within, two exact.
_FILTERS = ("global", "global", "within", "exact", "exact")
_NO_PATIENT = re.compile(r"(?!.*(?:patient|\[)).*\{\w+\}", re.DOTALL)


def patient_scope(template: str) -> str:
    """Whom a question template is about: no patient, a single one, or a group (Table 7).

    >>> patient_scope("what is the intake method of {drug_name}?")
    'none'
    >>> patient_scope("count the number of {drug_name} prescription cases [time_filter_global1].")
    'group'
    """
    if "{patient_id}" in template:
        return "single"
    return "none" if _NO_PATIENT.fullmatch(template.rstrip("?.")) else "group"


def time_expression(tags: Sequence[str]) -> str:
    """How the global time filters are expressed; "none" where there is no such filter.

    >>> time_expression(["abs-year-since", "", "", "exact-last", ""])
    'absolute'
    """
    found = {_EXPRESSIONS[tag[:3]] for tag in tags[:2] if tag[:3] in _EXPRESSIONS}
    return " and ".join(sorted(found)) or "none"


def time_filters(tags: Sequence[str]) -> str:
    """Which types of time filter a question has.

    >>> time_filters(["abs-year-since", "", "within-hosp", "", ""])
    'global and within'
    """
    found = [kind for kind, tag in zip(_FILTERS, tags, strict=False) if tag]
    return " and ".join(dict.fromkeys(found)) or "none"


def departments(written: str | Sequence[str] | None) -> str:
    """The departments that would ask, comma between them, from a list or a list as text.

    >>> departments("['physician', 'insurance_review']")
    'physician, insurance review'
    """
    names = ast.literal_eval(written) if isinstance(written, str) and written else written or []
    return ", ".join(name.replace("_", " ") for name in names if name != "-")
