-- A database's schema as rows of text: what there is, where, and how it is defined.
-- What belongs to an extension comes with the extension's name and version.
WITH own AS (
    SELECT n.oid, n.nspname FROM pg_catalog.pg_namespace n
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
)
SELECT 'schema', n.nspname::text, '', '' FROM own n
UNION ALL
SELECT 'relation', n.nspname, c.relname, pg_catalog.concat_ws(' ', c.relkind, c.relpersistence,
    c.relrowsecurity,
    CASE
        WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid)
        WHEN c.relkind IN ('i', 'I') THEN pg_catalog.pg_get_indexdef(c.oid)
        WHEN c.relkind = 'p' THEN pg_catalog.pg_get_partkeydef(c.oid)
        WHEN c.relkind = 'S' THEN (
            SELECT pg_catalog.concat_ws(' ', s.seqtypid, s.seqstart, s.seqincrement, s.seqmax,
                s.seqmin, s.seqcache, s.seqcycle)
            FROM pg_catalog.pg_sequence s WHERE s.seqrelid = c.oid
        )
        ELSE pg_catalog.pg_get_expr(c.relpartbound, c.oid)
    END)
FROM pg_catalog.pg_class c JOIN own n ON n.oid = c.relnamespace
UNION ALL
SELECT 'column', n.nspname, c.relname, pg_catalog.concat_ws(' ',
    pg_catalog.row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum), a.attname,
    pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
    a.attgenerated, pg_catalog.pg_get_expr(d.adbin, d.adrelid))
FROM pg_catalog.pg_class c JOIN own n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c')
UNION ALL
SELECT 'constraint', n.nspname, k.conrelid::pg_catalog.regclass || ' ' || k.conname,
    pg_catalog.concat_ws(' ', pg_catalog.pg_get_constraintdef(k.oid), k.convalidated)
FROM pg_catalog.pg_constraint k JOIN own n ON n.oid = k.connamespace
UNION ALL
SELECT 'type', n.nspname, t.typname, pg_catalog.concat_ws(' ', t.typtype,
    (SELECT pg_catalog.string_agg(v.enumlabel, ',' ORDER BY v.enumsortorder)
        FROM pg_catalog.pg_enum v WHERE v.enumtypid = t.oid),
    pg_catalog.format_type(t.typbasetype, t.typtypmod), t.typnotnull, t.typdefault)
FROM pg_catalog.pg_type t JOIN own n ON n.oid = t.typnamespace
WHERE t.typtype IN ('d', 'e', 'r')
UNION ALL
SELECT 'function', n.nspname, p.oid::pg_catalog.regprocedure::text,
    CASE WHEN p.prokind <> 'a' THEN pg_catalog.pg_get_functiondef(p.oid) ELSE p.prosrc END
FROM pg_catalog.pg_proc p JOIN own n ON n.oid = p.pronamespace
WHERE NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend e WHERE e.objid = p.oid AND e.deptype = 'e'
)
UNION ALL
SELECT 'trigger', n.nspname, c.relname || ' ' || g.tgname,
    pg_catalog.concat_ws(' ', pg_catalog.pg_get_triggerdef(g.oid), g.tgenabled)
FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class c ON c.oid = g.tgrelid
JOIN own n ON n.oid = c.relnamespace
WHERE NOT g.tgisinternal
UNION ALL
SELECT 'rule', n.nspname, c.relname || ' ' || r.rulename, pg_catalog.pg_get_ruledef(r.oid)
FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class
JOIN own n ON n.oid = c.relnamespace
UNION ALL
SELECT 'policy', n.nspname, c.relname || ' ' || y.polname, pg_catalog.concat_ws(' ', y.polcmd,
    pg_catalog.pg_get_expr(y.polqual, y.polrelid),
    pg_catalog.pg_get_expr(y.polwithcheck, y.polrelid))
FROM pg_catalog.pg_policy y JOIN pg_catalog.pg_class c ON c.oid = y.polrelid
JOIN own n ON n.oid = c.relnamespace
UNION ALL
SELECT 'comment', n.nspname, c.relname || ' ' || m.objsubid, m.description
FROM pg_catalog.pg_description m
JOIN pg_catalog.pg_class c ON c.oid = m.objoid
    AND m.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass
JOIN own n ON n.oid = c.relnamespace
UNION ALL
SELECT 'large object', '', b.oid::text, '' FROM pg_catalog.pg_largeobject_metadata b
UNION ALL
SELECT 'extension', '', x.extname, x.extversion FROM pg_catalog.pg_extension x
