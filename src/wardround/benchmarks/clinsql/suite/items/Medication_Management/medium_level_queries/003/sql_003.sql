WITH cohort AS (
  SELECT DISTINCT
    p.subject_id,
    a.hadm_id,
    a.admittime,
    a.dischtime,
    a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
    ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    ON a.hadm_id = d.hadm_id
  WHERE
    (
      (
        d.icd_version = 9 AND d.icd_code LIKE '5308%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'K21%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    COUNT(*) AS heparin_count
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    LOWER(e.drug) LIKE '%heparin%'
    AND e.starttime >= c.admittime
    AND e.starttime < DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.heparin_count > 2) AS burdened_count,
  ROUND(100 * COUNTIF(v.heparin_count > 2) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
