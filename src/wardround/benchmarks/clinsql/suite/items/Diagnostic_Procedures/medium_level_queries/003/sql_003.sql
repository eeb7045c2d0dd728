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
          d.icd_code LIKE '303%' OR d.icd_code LIKE '3050%' OR d.icd_code LIKE '3051%'
        )
      )
      OR (
        d.icd_version = 10 AND (
          d.icd_code LIKE 'F10%' OR d.icd_code LIKE 'F17%'
        )
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 39 AND 49
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    COUNT(e.icd_code) AS noninvasive_ventilation_count
  FROM cohort AS c
  LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` AS e
    ON c.hadm_id = e.hadm_id
    AND (
      (
        e.icd_version = 9 AND e.icd_code LIKE '9390%'
      )
      OR (
        e.icd_version = 10
        AND (
          e.icd_code LIKE '5A09357%'
          OR e.icd_code LIKE '5A09457%'
          OR e.icd_code LIKE '5A09557%'
        )
      )
    )
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.noninvasive_ventilation_count > 0) AS with_procedure_count,
  ROUND(100 * COUNTIF(v.noninvasive_ventilation_count > 0) / COUNT(*), 2) AS with_procedure_percent
FROM stay_values AS v;
