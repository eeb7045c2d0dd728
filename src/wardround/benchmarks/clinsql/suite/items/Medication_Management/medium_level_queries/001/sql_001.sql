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
        d.icd_version = 9 AND d.icd_code LIKE '276%'
      )
      OR (
        d.icd_version = 10 AND (
          d.icd_code LIKE 'E86%' OR d.icd_code LIKE 'E87%'
        )
      )
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 53 AND 63
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    SUM(DATETIME_DIFF(e.stoptime, e.starttime, HOUR)) / 24 AS acetaminophen_days
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      LOWER(e.drug) LIKE '%acetaminophen%' AND e.stoptime > e.starttime
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
  ROUND(AVG(v.acetaminophen_days), 2) AS average_acetaminophen_days,
  ROUND(APPROX_QUANTILES(v.acetaminophen_days, 100)[OFFSET(25)], 2) AS p25_acetaminophen_days,
  ROUND(APPROX_QUANTILES(v.acetaminophen_days, 100)[OFFSET(50)], 2) AS p50_acetaminophen_days,
  ROUND(APPROX_QUANTILES(v.acetaminophen_days, 100)[OFFSET(75)], 2) AS p75_acetaminophen_days
FROM stay_values AS v;
