"""BigQuery as an engine: datasets in a project, read with the user's own account."""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="BigQuery datasets, read; needs the extra bigquery.",
    reader="wardround.ehr.database.bigquery.driver:open_datasets",
    schemes=("bigquery:",),
    write_advice=("load it with BigQuery's own tools, or use the datasets that PhysioNet shares"),
)
