"""Labels for breakdowns, from the tags of a question or its gold query (paper, 3.1, B)."""

import re
from collections.abc import Sequence

_EXPRESSIONS = {"abs": "absolute", "rel": "relative", "mix": "mixed"}
# The kinds of the five time tags, by position.
_FILTERS = ("global", "global", "within", "exact", "exact")
_NO_PATIENT = re.compile(r"(?!.*(?:patient|\[)).*\{\w+\}.*", re.DOTALL)

# Fallback for files without tags. On EHRSQL 1.5 these patterns agree with the tags on 98% of the
# time expressions and 99% of the patient scopes.
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
    """Classifies the patient scope of a question template: none, single or group (Table 7).

    >>> patient_scope("what is the intake method of {drug_name}?")
    'none'
    >>> patient_scope("count the number of {drug_name} prescription cases [time_filter_global1].")
    'group'
    """
    if "{patient_id}" in template:
        return "single"
    return "none" if _NO_PATIENT.fullmatch(template.rstrip("?.")) else "group"


def time_expression(tags: Sequence[str]) -> str:
    """Classifies the global time filters: absolute, relative, mixed, or none.

    >>> time_expression(["abs-year-since", "", "", "exact-last", ""])
    'absolute'
    """
    expressions = {_EXPRESSIONS[tag[:3]] for tag in tags[:2] if tag[:3] in _EXPRESSIONS}
    return " and ".join(sorted(expressions)) or "none"


def scope_of_query(sql: str) -> str:
    """Classifies the patient scope of a gold query, like `patient_scope`.

    >>> scope_of_query("SELECT COUNT(*) FROM admissions WHERE admissions.subject_id = 10")
    'single'
    """
    if _ONE_PATIENT.search(sql):
        return "single"
    return "none" if _NO_RECORD.match(sql) else "group"


def time_of_query(sql: str) -> str:
    """Classifies a gold query's global time filters, like `time_expression`.

    >>> time_of_query("SELECT 1 WHERE datetime(t) >= datetime(current_time,'-1 year')")
    'relative'
    """
    expressions = set()
    if _DATE.search(sql):
        expressions.add("absolute")
    if _BEFORE_NOW.search(sql):
        expressions.add("mixed" if _PART_OF_DATE.search(sql) else "relative")
    if _VISIT.search(sql):
        expressions.add("relative")
    return " and ".join(sorted(expressions)) or "none"


def time_filters(tags: Sequence[str]) -> str:
    """Lists the types of time filter in a question.

    >>> time_filters(["abs-year-since", "", "within-hosp", "", ""])
    'global and within'
    """
    kinds = [kind for kind, tag in zip(_FILTERS, tags, strict=False) if tag]
    return " and ".join(dict.fromkeys(kinds)) or "none"


def departments(source: str | Sequence[str] | None) -> str:
    """Lists departments, comma separated, from a list or the text of a list.

    >>> departments("['physician', 'insurance_review']")
    'physician, insurance review'
    """
    names = re.findall(r"[\w-]+", source) if isinstance(source, str) else source or []
    return ", ".join(name.replace("_", " ") for name in names if name != "-")
