-- The statements that make a role, %(role)s, own everything in a copy of a database.
WITH own AS (
    SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
),
brought AS (
    SELECT d.classid, d.objid FROM pg_catalog.pg_depend d
    WHERE d.deptype = 'e' OR d.deptype IN ('a', 'i')
        AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
        AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjsubid <> 0
)
SELECT pg_catalog.format('ALTER SCHEMA %%I OWNER TO %%I', n.nspname, %(role)s::text) FROM own n
UNION ALL
SELECT pg_catalog.format('ALTER %%s %%I.%%I OWNER TO %%I',
    CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
        ELSE 'TABLE' END,
    n.nspname, c.relname, %(role)s::text)
FROM pg_catalog.pg_class c JOIN own n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S')
    AND NOT EXISTS (SELECT FROM brought b WHERE b.objid = c.oid
        AND b.classid = 'pg_catalog.pg_class'::pg_catalog.regclass)
UNION ALL
SELECT pg_catalog.format('ALTER ROUTINE %%s OWNER TO %%I', p.oid::pg_catalog.regprocedure,
    %(role)s::text)
FROM pg_catalog.pg_proc p JOIN own n ON n.oid = p.pronamespace
WHERE NOT EXISTS (SELECT FROM brought b WHERE b.objid = p.oid
    AND b.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass)
UNION ALL
SELECT pg_catalog.format('ALTER TYPE %%I.%%I OWNER TO %%I', n.nspname, t.typname, %(role)s::text)
FROM pg_catalog.pg_type t JOIN own n ON n.oid = t.typnamespace
LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
WHERE (t.typtype IN ('d', 'e', 'r') OR c.relkind = 'c')
    AND NOT EXISTS (SELECT FROM brought b WHERE b.objid = t.oid
        AND b.classid = 'pg_catalog.pg_type'::pg_catalog.regclass)
