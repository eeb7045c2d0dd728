"""PostgreSQL as an engine: databases on a server given by URL, or on wardround's own.

`postgresql://user:password@host:port/database` is a database on any server, `postgresql:NAME` is
one on the server that wardround starts itself.
"""

from wardround.ehr.database.engine import Engine

ENGINE = Engine(
    summary="A PostgreSQL database, on wardround's own server or on one by URL.",
    reader="wardround.ehr.database.postgres.driver:open_location",
    writer="wardround.ehr.database.postgres.target:write_location",
    source="wardround.ehr.database.postgres.target:read_location",
    copier="wardround.ehr.database.postgres.private_copy:copy_location",
    schemes=("postgresql:", "postgres://"),
)
