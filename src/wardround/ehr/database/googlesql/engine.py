"""The BigQuery dialect on this machine as an engine: `googlesql:FILE`, a DuckDB file."""

from wardround.ehr.database.engine import Engine

SCHEME = "googlesql:"

ENGINE = Engine(
    summary="A DuckDB file that answers queries in BigQuery's dialect.",
    reader="wardround.ehr.database.googlesql.driver:open_file",
    schemes=(SCHEME,),
    write_advice="build a DuckDB file with `wardround data build` and read it as googlesql:FILE",
)
