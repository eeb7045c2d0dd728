"""Writes out the shorthand of clinicians."""

import re

_PATIENTS = re.compile(r"\bpts\b", re.IGNORECASE)
_PATIENT = re.compile(r"\bpt\b(?=(?:'s)?\s*(?:#|no\.?|id|with|who|on)?\s*[\d-])", re.IGNORECASE)
_ANY_PATIENT = re.compile(r"\bpatients?\b|\bpts\b", re.IGNORECASE)
_BARE = re.compile(r"\bpt\b", re.IGNORECASE)


def written_out(question: str) -> str:
    """The question with "pt" and "pts" written out where they are patients.

    "PT" is a laboratory test where the question names its patients by another word.

    >>> written_out("How many pts got heparin?"), written_out("last glucose of pt 10032")
    ('How many patients got heparin?', 'last glucose of patient 10032')
    >>> written_out("What was the last PT of patient 10032?")
    'What was the last PT of patient 10032?'
    >>> written_out("Is the pt female?")
    'Is the patient female?'
    """
    if not _ANY_PATIENT.search(question) and not _PATIENT.search(question):
        return _BARE.sub("patient", question)
    return _PATIENT.sub("patient", _PATIENTS.sub("patients", question))
