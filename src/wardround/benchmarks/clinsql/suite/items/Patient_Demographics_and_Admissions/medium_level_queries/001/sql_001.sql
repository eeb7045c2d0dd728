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
        (
          d.icd_version = 9 AND d.icd_code LIKE '585%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'N18%'
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 49 AND 59
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay
  FROM cohort AS c
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.length_of_stay > 7) AS burdened_count,
  ROUND(100 * COUNTIF(v.length_of_stay > 7) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
