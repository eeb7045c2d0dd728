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
        (
          d.icd_version = 9 AND d.icd_code LIKE '272%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'E78%'
        )
      )
      AND NOT i.outtime IS NULL
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 75 AND 85
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.outtime, c.intime, HOUR) / 24 AS length_of_stay,
    AVG(e.valuenum) AS mean_respiratory_rate
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    (
      e.itemid = 220210 AND e.valuenum BETWEEN 2 AND 80
    )
    AND e.charttime >= c.intime
    AND e.charttime < DATETIME_ADD(c.intime, INTERVAL 24 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    c.hospital_expire_flag,
    c.intime,
    c.outtime
), ranked AS (
  SELECT
    v.subject_id,
    v.hadm_id,
    v.stay_id,
    v.hospital_expire_flag,
    v.length_of_stay,
    v.mean_respiratory_rate,
    NTILE(4) OVER (ORDER BY v.mean_respiratory_rate, v.stay_id) AS quartile
  FROM stay_values AS v
)
SELECT
  v.quartile,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  ROUND(AVG(v.mean_respiratory_rate), 2) AS average_mean_respiratory_rate,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
FROM ranked AS v
GROUP BY
  v.quartile
ORDER BY
  v.quartile;
