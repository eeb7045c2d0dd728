"""Declares the annotation of ClinSQL's items."""

from wardround.annotation.store import AnnotationDeclaration

ANNOTATE = AnnotationDeclaration(
    name="clinsql",
    summary="Questions about cohorts with gold queries and two rubrics each.",
    implementation="wardround.annotation.clinsql.store:open_store",
)
