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
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 26 AND 36
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    SUM(DATETIME_DIFF(e.stoptime, e.starttime, HOUR)) / 24 AS laxative_days
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      (
        LOWER(e.drug) LIKE '%senna%'
        OR LOWER(e.drug) LIKE '%docusate%'
        OR LOWER(e.drug) LIKE '%bisacodyl%'
      )
      AND e.stoptime > e.starttime
    )
    AND e.starttime >= c.admittime
    AND e.starttime < DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.laxative_days > 3) AS burdened_count,
  ROUND(100 * COUNTIF(v.laxative_days > 3) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
