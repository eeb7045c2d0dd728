-- The indexes of a record, made after the rows.
CREATE UNIQUE INDEX resource_by_id ON resource (type, id, version);
CREATE INDEX token_by_code ON token (parameter, code, resource);
-- It covers searches for a word, which read all texts of a parameter.
CREATE INDEX token_by_text ON token (parameter, text, resource) WHERE text <> '';
CREATE INDEX token_by_resource ON token (resource, parameter, text);
CREATE INDEX string_by_value ON string (parameter, folded, resource);
CREATE INDEX string_by_resource ON string (resource, parameter);
CREATE INDEX date_by_time ON date (parameter, low, high, resource);
CREATE INDEX date_by_resource ON date (resource, parameter, low, high);
CREATE INDEX quantity_by_value ON quantity (parameter, low, resource);
CREATE INDEX quantity_by_resource ON quantity (resource, parameter);
CREATE INDEX composite_by_code ON composite (parameter, code, resource);
CREATE INDEX composite_by_resource ON composite (resource, parameter);
CREATE INDEX reference_by_target ON reference (parameter, id, type, resource);
CREATE INDEX reference_by_resource ON reference (resource, parameter, type, id);
CREATE INDEX reference_to ON reference (id, type, resource);
