-- The tables of a record. A base file and the writes over it have the same tables.
--
-- A resource has a row for each phase of its life as a reader knows it: an encounter is
-- in progress from its start and finished from its end. Without a clock the last phase is read.
-- Times are milliseconds since 1970 UTC; a phase holds from known_from (NULL: always) until
-- known_until (excluded; NULL for the last).
CREATE TABLE resource (
    key INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    known_from INTEGER,
    known_until INTEGER,
    deleted INTEGER NOT NULL DEFAULT 0,
    body BLOB NOT NULL
);
-- Resources of the base that were written since, in the file of writes only.
CREATE TABLE written (type TEXT, id TEXT, PRIMARY KEY (type, id)) WITHOUT ROWID;
-- Defects of resources that are no valid R4 but were taken.
CREATE TABLE defect (type TEXT, id TEXT, version INTEGER, path TEXT, sentence TEXT);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Every index table: parameter is the number in the definitions, resource is resource.key.
-- `text` of a token and `folded` of a string are case-folded.
CREATE TABLE token (
    parameter INTEGER, code TEXT COLLATE NOCASE, system TEXT, text TEXT, resource INTEGER
);
CREATE TABLE string (parameter INTEGER, folded TEXT, value TEXT, resource INTEGER);
CREATE TABLE date (parameter INTEGER, low INTEGER, high INTEGER, resource INTEGER);
CREATE TABLE quantity (
    parameter INTEGER, low REAL, high REAL, system TEXT, code TEXT, unit TEXT, resource INTEGER
);
-- An amount with the code beside it, for composites such as code-value-quantity.
CREATE TABLE composite (
    parameter INTEGER, code TEXT COLLATE NOCASE, system TEXT, low REAL, high REAL,
    unit_system TEXT, unit_code TEXT, unit TEXT, resource INTEGER
);
CREATE TABLE reference (
    parameter INTEGER, type TEXT, id TEXT, url TEXT, identifier TEXT, resource INTEGER
);
