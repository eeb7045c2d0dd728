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
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 61 AND 71
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    AVG(e.valuenum) AS mean_heart_rate
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid = 220045 AND e.valuenum BETWEEN 20 AND 300
    )
    AND e.charttime >= c.intime
    AND e.charttime < DATETIME_ADD(c.intime, INTERVAL 72 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  COUNTIF(v.mean_heart_rate > 100) AS burdened_count,
  ROUND(100 * COUNTIF(v.mean_heart_rate > 100) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
