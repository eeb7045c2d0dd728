-- Changes a synthetic hospital so that records differ where the generator makes them alike.
-- Every change is one that occurs in MIMIC-IV; the same rows give the same changes.

-- A number from 0 to 1, by a row's key and the change.
CREATE TEMP MACRO draw(change, key) AS
  (md5_number_lower(concat_ws(' ', change, key)) % 100000) / 100000;

-- Stays up to three years after the anchor year.
UPDATE patients
SET anchor_year = anchor_year - 1 - floor(3 * draw('years', subject_id))::BIGINT
WHERE draw('later', subject_id) < 0.6;

-- Stays of whole days, which are neither above nor below a limit in days.
UPDATE admissions
SET dischtime = admittime + to_days(greatest(1, round(epoch(dischtime - admittime) / 86400))::INT)
WHERE draw('whole days', hadm_id) < 0.15
  AND subject_id IN (SELECT subject_id FROM patients WHERE dod IS NULL);

-- Deaths after the last stay; stays that end in a hospice; stays in intensive care without an end.
UPDATE patients
SET dod = (
  SELECT max(a.dischtime)::DATE + 20 FROM admissions AS a WHERE a.subject_id = patients.subject_id
)
WHERE dod IS NULL AND draw('death', subject_id) < 0.25;

UPDATE admissions
SET discharge_location = 'HOSPICE'
WHERE hospital_expire_flag = 0 AND draw('hospice', hadm_id) < 0.15;

UPDATE icustays SET outtime = NULL, los = NULL WHERE draw('open stay', stay_id) < 0.06;

-- Diagnoses and procedures of a stay: a third less, and those of other stays more.
DELETE FROM diagnoses_icd WHERE draw(icd_code, hadm_id) < 0.3;

DELETE FROM procedures_icd WHERE draw(icd_code, hadm_id) < 0.3;

CREATE TEMP TABLE given AS
WITH numbered AS (
  SELECT
    subject_id,
    hadm_id,
    admittime::DATE AS day,
    row_number() OVER (ORDER BY hadm_id) - 1 AS place,
    count(*) OVER () AS stays
  FROM admissions
)
SELECT mine.subject_id, mine.hadm_id, mine.day, other.hadm_id AS giver, step
FROM numbered AS mine
CROSS JOIN (VALUES (17), (40), (71), (113)) AS steps(step)
JOIN numbered AS other ON other.place = (mine.place + step) % mine.stays
WHERE other.subject_id <> mine.subject_id;

INSERT INTO diagnoses_icd BY NAME
SELECT g.subject_id, g.hadm_id, 10 * step + d.seq_num AS seq_num, d.icd_code, d.icd_version
FROM given AS g
JOIN diagnoses_icd AS d ON d.hadm_id = g.giver AND g.step < 50
LEFT JOIN diagnoses_icd AS own
  ON own.hadm_id = g.hadm_id AND own.icd_code = d.icd_code AND own.icd_version = d.icd_version
WHERE own.hadm_id IS NULL
QUALIFY row_number() OVER (PARTITION BY g.hadm_id, d.icd_code, d.icd_version ORDER BY step) = 1;

INSERT INTO procedures_icd BY NAME
SELECT
  g.subject_id, g.hadm_id, 10 * step + d.seq_num AS seq_num, g.day AS chartdate, d.icd_code,
  d.icd_version
FROM given AS g
JOIN procedures_icd AS d ON d.hadm_id = g.giver
LEFT JOIN procedures_icd AS own
  ON own.hadm_id = g.hadm_id AND own.icd_code = d.icd_code AND own.icd_version = d.icd_version
WHERE own.hadm_id IS NULL
QUALIFY row_number() OVER (PARTITION BY g.hadm_id, d.icd_code, d.icd_version ORDER BY step) = 1;

-- Procedures again on the next day.
INSERT INTO procedures_icd BY NAME
SELECT subject_id, hadm_id, 5000 + seq_num AS seq_num, chartdate + 1 AS chartdate, icd_code,
  icd_version
FROM procedures_icd
WHERE draw('again', concat_ws(' ', hadm_id, icd_code)) < 0.3;

-- A cause in ICD-9, which begins like a disease in ICD-10.
INSERT INTO diagnoses_icd BY NAME
SELECT subject_id, hadm_id, 9999 AS seq_num, 'E8788' AS icd_code, 9 AS icd_version
FROM admissions
WHERE draw('cause', hadm_id) < 0.2;

-- Measurements: not of each kind in each stay; without a value, or with one that cannot be; before
-- the window of the stay and after it.
DELETE FROM labevents WHERE draw(itemid, hadm_id) < 0.25;

CREATE TEMP MACRO changed(number, luck) AS CASE
  WHEN luck < 0.03 THEN 99999 WHEN luck < 0.06 THEN 0 WHEN luck < 0.08 THEN NULL ELSE number END;

CREATE TEMP MACRO moved(time, key, luck) AS CASE
  WHEN luck < 0.1 THEN time - to_seconds(100000 + key % 50000)
  WHEN luck < 0.25 THEN time + to_seconds(100000 + key % 50000)
  ELSE time END;

UPDATE labevents
SET
  value = CASE
    WHEN draw('value', labevent_id) < 0.08
    THEN changed(valuenum, draw('value', labevent_id))::BIGINT::VARCHAR ELSE value END,
  valuenum = changed(valuenum, draw('value', labevent_id)),
  charttime = moved(charttime, labevent_id, draw('time', labevent_id))
WHERE valuenum IS NOT NULL
  AND (draw('value', labevent_id) < 0.08 OR draw('time', labevent_id) < 0.25);

DELETE FROM chartevents WHERE draw(itemid, stay_id) < 0.25;

UPDATE chartevents
SET
  value = CASE
    WHEN draw('value', rowid) < 0.08
    THEN changed(valuenum, draw('value', rowid))::BIGINT::VARCHAR ELSE value END,
  valuenum = changed(valuenum, draw('value', rowid)),
  charttime = moved(charttime, rowid, draw('time', rowid))
WHERE valuenum IS NOT NULL AND (draw('value', rowid) < 0.08 OR draw('time', rowid) < 0.25);

-- Procedures and prescriptions: not in each stay, at other times, without an end.
DELETE FROM procedureevents WHERE draw(itemid, stay_id) < 0.25;

UPDATE procedureevents
SET starttime = moved(starttime, rowid, draw('time', rowid))
WHERE draw('time', rowid) < 0.25;

DELETE FROM prescriptions WHERE draw(drug, hadm_id) < 0.3;

UPDATE prescriptions
SET starttime = moved(starttime, rowid, draw('time', rowid))
WHERE draw('time', rowid) < 0.25;

UPDATE prescriptions SET stoptime = NULL WHERE draw('open end', rowid) < 0.04;
