"""Labels of a question, to break results down by, from EHRSQL's tags (paper, 3.1, B)."""

import re
from collections.abc import Sequence

_EXPRESSIONS = {"abs": "absolute", "rel": "relative", "mix": "mixed"}
# The places of the five time tags: two global filters, one within, two exact.
_FILTERS = ("global", "global", "within", "exact", "exact")
_NO_PATIENT = re.compile(r"(?!.*(?:patient|\[)).*\{\w+\}.*", re.DOTALL)

# For files without tags the labels are read from the gold queries: these patterns agree with the
# tags of EHRSQL 1.5 on 98% of the time expressions and 99% of the patient scopes.
_ONE_PATIENT = re.compile(r"(?:subject_id|uniquepid)\s*=\s*(?:'[^']*'|\d)", re.IGNORECASE)
_NO_RECORD = re.compile(
    r"\s*select distinct (?:cost\.cost|prescriptions\.route|medication\.routeadmin)\b",
    re.IGNORECASE,
)
_DATE = re.compile(r"strftime\('%y[^']*'\s*,[^()]*\)\s*[<>=]+\s*'\d", re.IGNORECASE)
_PART_OF_DATE = re.compile(r"strftime\('%[md][^']*'\s*,[^()]*\)\s*=\s*'\d", re.IGNORECASE)
_BEFORE_NOW = re.compile(r"datetime\(\s*current_time", re.IGNORECASE)
_VISIT = re.compile(
    r"(?:dischtime|outtime|hospitaldischargetime|unitdischargetime) is (?:not )?null",
    re.IGNORECASE,
)


def patient_scope(template: str) -> str:
    """The patient scope of a question template: none, single or group (Table 7).

    >>> patient_scope("what is the intake method of {drug_name}?")
    'none'
    >>> patient_scope("count the number of {drug_name} prescription cases [time_filter_global1].")
    'group'
    """
    if "{patient_id}" in template:
        return "single"
    return "none" if _NO_PATIENT.fullmatch(template.rstrip("?.")) else "group"


def time_expression(tags: Sequence[str]) -> str:
    """The expression of the global time filters: absolute, relative, mixed; "none" without any.

    >>> time_expression(["abs-year-since", "", "", "exact-last", ""])
    'absolute'
    """
    found = {_EXPRESSIONS[tag[:3]] for tag in tags[:2] if tag[:3] in _EXPRESSIONS}
    return " and ".join(sorted(found)) or "none"


def scope_of_query(sql: str) -> str:
    """The patient scope of a gold query, as `patient_scope`.

    >>> scope_of_query("SELECT COUNT(*) FROM admissions WHERE admissions.subject_id = 10")
    'single'
    """
    if _ONE_PATIENT.search(sql):
        return "single"
    return "none" if _NO_RECORD.match(sql) else "group"


def time_of_query(sql: str) -> str:
    """The expression of a gold query's global time filters, as `time_expression`.

    >>> time_of_query("SELECT 1 WHERE datetime(t) >= datetime(current_time,'-1 year')")
    'relative'
    """
    found = set()
    if _DATE.search(sql):
        found.add("absolute")
    if _BEFORE_NOW.search(sql):
        found.add("mixed" if _PART_OF_DATE.search(sql) else "relative")
    if _VISIT.search(sql):
        found.add("relative")
    return " and ".join(sorted(found)) or "none"


def time_filters(tags: Sequence[str]) -> str:
    """The types of time filter that a question has.

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
    names = re.findall(r"[\w-]+", written) if isinstance(written, str) else written or []
    return ", ".join(name.replace("_", " ") for name in names if name != "-")
