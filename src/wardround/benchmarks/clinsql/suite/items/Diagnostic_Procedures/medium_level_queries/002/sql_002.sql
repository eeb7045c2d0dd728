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
          d.icd_code LIKE '038%'
          OR d.icd_code LIKE '481%'
          OR d.icd_code LIKE '482%'
          OR d.icd_code LIKE '486%'
          OR d.icd_code LIKE '5990%'
          OR d.icd_code LIKE '9959%'
        )
      )
      OR (
        d.icd_version = 10
        AND (
          d.icd_code LIKE 'A41%'
          OR d.icd_code LIKE 'J13%'
          OR d.icd_code LIKE 'J15%'
          OR d.icd_code LIKE 'J18%'
          OR d.icd_code LIKE 'N390%'
          OR d.icd_code LIKE 'R652%'
        )
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 59 AND 69
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    COUNT(*) AS procedure_count
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` AS e
    ON c.hadm_id = e.hadm_id
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.procedure_count), 2) AS average_procedure_count,
  ROUND(APPROX_QUANTILES(v.procedure_count, 100)[OFFSET(25)], 2) AS p25_procedure_count,
  ROUND(APPROX_QUANTILES(v.procedure_count, 100)[OFFSET(50)], 2) AS p50_procedure_count,
  ROUND(APPROX_QUANTILES(v.procedure_count, 100)[OFFSET(75)], 2) AS p75_procedure_count
FROM stay_values AS v;
