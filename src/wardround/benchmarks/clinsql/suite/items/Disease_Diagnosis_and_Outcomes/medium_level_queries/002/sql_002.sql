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
        d.icd_version = 9 AND (
          d.icd_code LIKE 'V4581%' OR d.icd_code LIKE 'V4582%'
        )
      )
      OR (
        d.icd_version = 10
        AND (
          d.icd_code LIKE 'Z951%' OR d.icd_code LIKE 'Z955%' OR d.icd_code LIKE 'Z9861%'
        )
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 63 AND 73
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    m.charlson_comorbidity_index AS charlson_index
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_derived.charlson` AS m
    ON c.hadm_id = m.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.charlson_index > 5) AS burdened_count,
  ROUND(100 * COUNTIF(v.charlson_index > 5) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
