"""Spark as an engine: a folder of Parquet files, queried by a cluster or by this machine."""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="A folder of Parquet files, read by Spark; needs the extra spark.",
    reader="wardround.ehr.database.spark.driver:open_folder",
    schemes=("spark:",),
    write_advice=(
        "build a .duckdb file and run EXPORT DATABASE 'FOLDER' (FORMAT parquet) on it in DuckDB"
    ),
)
