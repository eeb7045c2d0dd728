-- What a reader sees: the phase of each resource at the clock, writes over the base.
CREATE TEMP TABLE clock (now INTEGER NOT NULL);
CREATE TEMP VIEW resources AS
    SELECT key, type, id, version, updated, body FROM base.resource AS b
    WHERE deleted = 0
      AND (known_from IS NULL OR known_from <= (SELECT now FROM clock))
      AND (known_until IS NULL OR known_until > (SELECT now FROM clock))
      AND NOT EXISTS (SELECT 1 FROM main.written AS w WHERE w.type = b.type AND w.id = b.id)
    UNION ALL
    SELECT key, type, id, version, updated, body FROM main.resource
    WHERE deleted = 0 AND known_until IS NULL;
CREATE TEMP VIEW tokens AS SELECT * FROM base.token UNION ALL SELECT * FROM main.token;
CREATE TEMP VIEW strings AS SELECT * FROM base.string UNION ALL SELECT * FROM main.string;
CREATE TEMP VIEW dates AS SELECT * FROM base.date UNION ALL SELECT * FROM main.date;
CREATE TEMP VIEW quantities AS SELECT * FROM base.quantity UNION ALL SELECT * FROM main.quantity;
CREATE TEMP VIEW refs AS SELECT * FROM base.reference UNION ALL SELECT * FROM main.reference;
