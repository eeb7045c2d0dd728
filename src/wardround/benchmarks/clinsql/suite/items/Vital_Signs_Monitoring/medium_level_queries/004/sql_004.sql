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
        d.icd_version = 9 AND d.icd_code LIKE '414%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'I25%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 46 AND 56
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    100 * COUNTIF(e.valuenum < 90) / COUNT(*) AS systolic_pressure_abnormal_percent
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid IN (220050, 220179) AND e.valuenum BETWEEN 30 AND 300
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
  ROUND(AVG(v.systolic_pressure_abnormal_percent), 2) AS average_systolic_pressure_abnormal_percent,
  ROUND(APPROX_QUANTILES(v.systolic_pressure_abnormal_percent, 100)[OFFSET(25)], 2) AS p25_systolic_pressure_abnormal_percent,
  ROUND(APPROX_QUANTILES(v.systolic_pressure_abnormal_percent, 100)[OFFSET(50)], 2) AS p50_systolic_pressure_abnormal_percent,
  ROUND(APPROX_QUANTILES(v.systolic_pressure_abnormal_percent, 100)[OFFSET(75)], 2) AS p75_systolic_pressure_abnormal_percent
FROM stay_values AS v;
