"""BigQuery as an engine: datasets in a project, read with the account of whoever runs it."""

from wardround.core.errors import UserError
from wardround.ehr.database.bigquery.location import Place, place_of
from wardround.ehr.database.engine import Target
from wardround.ehr.database.interface import Database, Limits


class BigQueryEngine:
    """Opens BigQuery datasets; see `Engine`."""

    def recognises(self, location: str) -> bool:
        """Whether it begins with `bigquery:`."""
        return location.startswith("bigquery:")

    def open(self, location: str, limits: Limits) -> Database:
        """Open datasets for reading; what is asked leaves this machine."""
        from wardround.ehr.database.bigquery.database import BigQueryDatabase

        place = place_of(location)
        return BigQueryDatabase(place, limits, _client(place))

    def write(self, location: str) -> Target:
        """Not on BigQuery.

        Raises:
            UserError: Always.
        """
        raise UserError(
            f"Database {location} cannot be written by wardround; load it with BigQuery's own "
            "tools, or use the datasets that PhysioNet shares."
        )


def _client(place: Place) -> object:
    try:
        from google.auth.exceptions import DefaultCredentialsError
        from google.cloud import bigquery
    except ImportError as error:
        raise UserError(
            f"Database {place.url} needs BigQuery's client; install wardround[bigquery]."
        ) from error
    try:
        return bigquery.Client(project=place.project)
    except DefaultCredentialsError as error:
        raise UserError(
            f"Database {place.url} needs an account; run `gcloud auth application-default login` "
            "or set GOOGLE_APPLICATION_CREDENTIALS."
        ) from error
