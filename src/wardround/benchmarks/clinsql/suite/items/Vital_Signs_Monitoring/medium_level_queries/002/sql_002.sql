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
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 57 AND 67
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    AVG(e.valuenum) AS mean_mean_pressure
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid IN (220052, 220181) AND e.valuenum BETWEEN 20 AND 220
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
  ROUND(AVG(v.mean_mean_pressure), 2) AS average_mean_mean_pressure,
  ROUND(APPROX_QUANTILES(v.mean_mean_pressure, 100)[OFFSET(25)], 2) AS p25_mean_mean_pressure,
  ROUND(APPROX_QUANTILES(v.mean_mean_pressure, 100)[OFFSET(50)], 2) AS p50_mean_mean_pressure,
  ROUND(APPROX_QUANTILES(v.mean_mean_pressure, 100)[OFFSET(75)], 2) AS p75_mean_mean_pressure
FROM stay_values AS v;
