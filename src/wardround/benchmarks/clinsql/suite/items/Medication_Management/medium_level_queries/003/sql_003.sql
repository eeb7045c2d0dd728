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
          d.icd_code LIKE '401%' OR d.icd_code LIKE '403%'
        )
      )
      OR (
        d.icd_version = 10 AND (
          d.icd_code LIKE 'I10%' OR d.icd_code LIKE 'I12%'
        )
      )
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 38 AND 48
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
    AND e.starttime < DATETIME_ADD(c.admittime, INTERVAL 72 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.laxative_days), 2) AS average_laxative_days,
  ROUND(APPROX_QUANTILES(v.laxative_days, 100)[OFFSET(25)], 2) AS p25_laxative_days,
  ROUND(APPROX_QUANTILES(v.laxative_days, 100)[OFFSET(50)], 2) AS p50_laxative_days,
  ROUND(APPROX_QUANTILES(v.laxative_days, 100)[OFFSET(75)], 2) AS p75_laxative_days
FROM stay_values AS v;
