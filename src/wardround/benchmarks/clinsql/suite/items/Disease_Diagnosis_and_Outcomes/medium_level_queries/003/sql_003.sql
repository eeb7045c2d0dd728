WITH cohort AS (
  SELECT DISTINCT
    p.subject_id,
    a.hadm_id,
    a.admittime,
    a.dischtime,
    a.discharge_location
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
    ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    ON a.hadm_id = d.hadm_id
  WHERE
    (
      (
        (
          d.icd_version = 9 AND d.icd_code LIKE '276%'
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'E86%' OR d.icd_code LIKE 'E87%'
          )
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 25 AND 35
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.discharge_location,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay
  FROM cohort AS c
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  COUNTIF(v.discharge_location IN ('HOME', 'HOME HEALTH CARE')) AS home_count,
  ROUND(100 * COUNTIF(v.discharge_location IN ('HOME', 'HOME HEALTH CARE')) / COUNT(*), 2) AS home_percent
FROM stay_values AS v;
