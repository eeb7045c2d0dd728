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
          d.icd_version = 9
          AND (
            d.icd_code LIKE '2962%' OR d.icd_code LIKE '3000%' OR d.icd_code LIKE '311%'
          )
        )
        OR (
          d.icd_version = 10
          AND (
            d.icd_code LIKE 'F32%' OR d.icd_code LIKE 'F33%' OR d.icd_code LIKE 'F41%'
          )
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 29 AND 39
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.discharge_location,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay
  FROM cohort AS c
), ranked AS (
  SELECT
    v.subject_id,
    v.hadm_id,
    v.discharge_location,
    v.length_of_stay,
    DIV(NTILE(4) OVER (ORDER BY v.length_of_stay, v.hadm_id), 4) AS top_quarter
  FROM stay_values AS v
)
SELECT
  v.top_quarter,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.discharge_location IN ('HOSPICE', 'DIED')) / COUNT(*), 2) AS died_or_hospice_percent
FROM ranked AS v
GROUP BY
  v.top_quarter
ORDER BY
  v.top_quarter;
