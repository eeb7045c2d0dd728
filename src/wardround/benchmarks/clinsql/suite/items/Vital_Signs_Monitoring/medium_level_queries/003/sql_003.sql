WITH cohort AS (
  SELECT DISTINCT
    p.subject_id,
    a.hadm_id,
    a.admittime,
    a.dischtime,
    a.hospital_expire_flag,
    i.stay_id,
    i.intime,
    i.outtime
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
    ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    ON a.hadm_id = d.hadm_id
  JOIN `physionet-data.mimiciv_3_1_icu.icustays` AS i
    ON a.hadm_id = i.hadm_id
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
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    100 * COUNTIF(e.valuenum > 100) / COUNT(*) AS heart_rate_abnormal_percent
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid = 220045 AND e.valuenum BETWEEN 20 AND 300
    )
    AND e.charttime >= c.intime
    AND e.charttime < DATETIME_ADD(c.intime, INTERVAL 48 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  COUNTIF(v.heart_rate_abnormal_percent > 25) AS burdened_count,
  ROUND(100 * COUNTIF(v.heart_rate_abnormal_percent > 25) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
