"""The Spark session of a folder, with access to anything but its tables disabled."""

from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits
from wardround.ehr.database.spark.parquet_folder import ParquetFolder

_RULES = "org.apache.spark.sql.catalyst.optimizer."

# Files are read only through the views below. Constant folding is off, so that a two-gigabyte text
# is computed on the executors and not in the driver.
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


def start_session(folder: ParquetFolder, limits: Limits) -> Any:
    """Start a session with a view of every table.

    Raises:
        UserError: If Spark is not installed, does not start, or there are no tables.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise UserError(
            f"Database {folder.url} needs Spark; install wardround[spark] and Java."
        ) from error
    tables = folder.tables()
    builder = SparkSession.builder.master(folder.master).appName("wardround")
    builder = builder.config("spark.driver.maxResultSize", str(4 * limits.result_bytes))
    for name, value in _SETTINGS.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except Exception as error:
        # Without Java or the cluster the client raises many unrelated classes.
        raise UserError(f"Spark did not start for {folder.url} ({_first_line(error)}).") from error
    for table, path in tables.items():
        session.read.parquet(str(path)).createOrReplaceTempView(table)
    return session


def forget_session(session: Any) -> None:
    """Clear the client's state after the Java process has died, so that a new session can start.

    The client keeps session and process in these attributes and has no public way to clear them.
    """
    from pyspark import SparkContext

    SparkContext._gateway = None
    SparkContext._jvm = None
    SparkContext._active_spark_context = None
    type(session)._instantiatedSession = None
    type(session)._activeSession = None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
