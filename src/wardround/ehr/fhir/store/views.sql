-- What a reader sees: the phase of each resource at the clock, writes over the base.
CREATE TEMP TABLE clock (now INTEGER NOT NULL);
CREATE TEMP VIEW base_resources AS
    SELECT key, type, id, version, updated, body FROM base.resource AS b
    WHERE deleted = 0
      AND (known_from IS NULL OR known_from <= (SELECT now FROM clock))
      AND (known_until IS NULL OR known_until > (SELECT now FROM clock))
      AND NOT EXISTS (SELECT 1 FROM main.written AS w WHERE w.type = b.type AND w.id = b.id);
CREATE TEMP VIEW written_resources AS
    SELECT key, type, id, version, updated, body FROM main.resource
    WHERE deleted = 0 AND known_until IS NULL;
CREATE TEMP VIEW resources AS
    SELECT * FROM base_resources UNION ALL SELECT * FROM written_resources;
