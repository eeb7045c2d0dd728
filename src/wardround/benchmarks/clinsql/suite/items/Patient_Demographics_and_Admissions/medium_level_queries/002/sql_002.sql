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
        d.icd_version = 9 AND d.icd_code LIKE '32723%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'G4733%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 50 AND 60
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.discharge_location
  FROM cohort AS c
  WHERE
    NOT c.discharge_location IS NULL
), totals AS (
  SELECT
    COUNT(*) AS stays
  FROM stay_values AS v
)
SELECT
  v.discharge_location,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(100 * COUNT(*) / MAX(t.stays), 2) AS stay_percent
FROM stay_values AS v
CROSS JOIN totals AS t
GROUP BY
  v.discharge_location
ORDER BY
  v.discharge_location;
