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
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 25 AND 35
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
  ROUND(AVG(v.charlson_index), 2) AS average_charlson_index,
  ROUND(APPROX_QUANTILES(v.charlson_index, 100)[OFFSET(25)], 2) AS p25_charlson_index,
  ROUND(APPROX_QUANTILES(v.charlson_index, 100)[OFFSET(50)], 2) AS p50_charlson_index,
  ROUND(APPROX_QUANTILES(v.charlson_index, 100)[OFFSET(75)], 2) AS p75_charlson_index
FROM stay_values AS v;
