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
        d.icd_version = 9 AND d.icd_code LIKE '272%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'E78%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    AVG(e.valuenum) AS mean_platelets
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.labevents` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      e.itemid = 51265 AND e.valuenum BETWEEN 1 AND 1500
    )
    AND e.charttime >= c.admittime
    AND e.charttime < DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.mean_platelets < 150) AS burdened_count,
  ROUND(100 * COUNTIF(v.mean_platelets < 150) / COUNT(*), 2) AS burdened_percent
FROM stay_values AS v;
