WITH cohort AS (
  SELECT DISTINCT
    p.subject_id,
    a.hadm_id,
    a.admittime,
    a.dischtime,
    a.hospital_expire_flag,
    i.stay_id,
    i.intime,
    i.outtime
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
    ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    ON a.hadm_id = d.hadm_id
  JOIN `physionet-data.mimiciv_3_1_icu.icustays` AS i
    ON a.hadm_id = i.hadm_id
  WHERE
    (
      (
        d.icd_version = 9 AND d.icd_code LIKE '414%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'I25%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 80 AND 85
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    COUNT(*) AS culture_count
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    e.itemid IN (225401, 225454, 225451)
    AND e.starttime >= c.intime
    AND e.starttime < DATETIME_ADD(c.intime, INTERVAL 72 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  COUNTIF(v.culture_count > 2) AS burdened_count,
  ROUND(100 * COUNTIF(v.culture_count > 2) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
