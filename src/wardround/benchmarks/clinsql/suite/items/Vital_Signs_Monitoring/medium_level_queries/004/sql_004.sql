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
        d.icd_version = 9 AND d.icd_code LIKE '585%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'N18%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 77 AND 85
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    AVG(e.valuenum) AS mean_temperature_f
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid = 223761 AND e.valuenum BETWEEN 80 AND 112
    )
    AND e.charttime >= c.intime
    AND e.charttime < DATETIME_ADD(c.intime, INTERVAL 24 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  ROUND(AVG(v.mean_temperature_f), 2) AS average_mean_temperature_f,
  ROUND(APPROX_QUANTILES(v.mean_temperature_f, 100)[OFFSET(25)], 2) AS p25_mean_temperature_f,
  ROUND(APPROX_QUANTILES(v.mean_temperature_f, 100)[OFFSET(50)], 2) AS p50_mean_temperature_f,
  ROUND(APPROX_QUANTILES(v.mean_temperature_f, 100)[OFFSET(75)], 2) AS p75_mean_temperature_f
FROM stay_values AS v;
