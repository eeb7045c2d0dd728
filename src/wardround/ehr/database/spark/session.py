"""The Spark session: started once for a place, with what lets a query reach further turned off."""

from pathlib import Path
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.spark.location import Place

_RULES = "org.apache.spark.sql.catalyst.optimizer."

# Files are reached through the views below only, and what can be calculated beforehand is still
# calculated by the executors: a text of two gigabytes must not be made in the driver.
_SETTINGS = {
    "spark.sql.runSQLOnFiles": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.optimizer.excludedRules": (
        f"{_RULES}ConstantFolding,{_RULES}ConvertToLocalRelation"
    ),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
}


def start_session(place: Place, limits: Limits) -> Any:
    """A session with a view of every table.

    Raises:
        UserError: If Spark is not installed, does not start, or there are no tables.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UserError(
            f"Database {place.url} needs Spark; install wardround[spark] and Java."
        ) from error
    tables = tables_in(place)
    builder = SparkSession.builder.master(place.master).appName("wardround")
    builder = builder.config("spark.driver.maxResultSize", str(4 * limits.result_bytes))
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        # The client raises plain exceptions of many kinds when Java or the cluster is not there.
        raise UserError(f"Spark did not start for {place.url} ({_first_line(error)}).") from error
    for table, path in tables.items():
        session.read.parquet(str(path)).createOrReplaceTempView(table)
    return session


def forget_session(session: Any) -> None:
    """Let the next session start anew after the Java process of this one has died.

    The client keeps both in these attributes and offers no other way back.
    """
    from pyspark import SparkContext

    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._active_spark_context = None
    type(session)._instantiatedSession = None
    type(session)._activeSession = None


def tables_in(place: Place) -> dict[str, Path]:
    """Where each table is, in alphabetical order: `name.parquet` or `name/*.parquet`.

    Raises:
        UserError: If there are none.
    """
    whole = {path.stem: path for path in place.folder.glob("*.parquet")}
    parts = {path.parent.name: path.parent for path in place.folder.glob("*/*.parquet")}
    found = {name.removesuffix(".parquet"): path for name, path in (whole | parts).items()}
    if not found:
        raise UserError(
            f"Database {place.url} has no tables; it needs a .parquet file, or a folder of them, "
            "for each."
        )
    return dict(sorted(found.items()))


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
