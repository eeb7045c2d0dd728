-- Views over MIMIC-IV's tables that the conversions of several kinds of resources share.

-- A product is named by drug, formulary code and NDC, of which the last two may be unknown.
CREATE VIEW product AS
SELECT *, drug || coalesce('--' || formulary, '') || coalesce('--' || package, '') AS product
FROM (
    SELECT *, nullif(formulary_drug_cd, '') AS formulary, nullif(nullif(ndc, ''), '0') AS package
    FROM prescriptions
);

-- A prescription's products in the order of MIMIC-IV on FHIR.
CREATE VIEW prescription AS
SELECT pharmacy_id, max(subject_id) AS subject_id, max(hadm_id) AS hadm_id, max(route) AS route,
    max(starttime) AS starttime, max(stoptime) AS stoptime, max(dose_val_rx) AS dose,
    max(dose_unit_rx) AS unit, max(prod_strength) AS strength,
    list(product ORDER BY drug_type DESC, drug, product) AS products
FROM product GROUP BY pharmacy_id;

-- MIMIC-IV on FHIR lists organisms, susceptibilities and procedures by their place in the file.
CREATE VIEW culture_event AS
SELECT *, row_number() OVER () AS place FROM microbiologyevents;

CREATE VIEW hcpcs_event AS
SELECT *, row_number() OVER () AS place FROM hcpcsevents;
