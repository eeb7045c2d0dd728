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
        (
          d.icd_version = 9
          AND (
            d.icd_code LIKE '491%' OR d.icd_code LIKE '492%' OR d.icd_code LIKE '496%'
          )
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'J43%' OR d.icd_code LIKE 'J44%'
          )
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 60 AND 70
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay,
    MAX(e.valuenum) AS highest_potassium
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.labevents` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      e.itemid = 50971 AND e.valuenum BETWEEN 1.5 AND 10
    )
    AND e.charttime >= c.admittime
    AND e.charttime < DATETIME_ADD(c.admittime, INTERVAL 72 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    c.admittime,
    c.dischtime
), ranked AS (
  SELECT
    v.subject_id,
    v.hadm_id,
    v.hospital_expire_flag,
    v.length_of_stay,
    v.highest_potassium,
    DIV(NTILE(4) OVER (ORDER BY v.highest_potassium, v.hadm_id), 4) AS top_quarter
  FROM stay_values AS v
)
SELECT
  v.top_quarter,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.highest_potassium), 2) AS average_highest_potassium,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
FROM ranked AS v
GROUP BY
  v.top_quarter
ORDER BY
  v.top_quarter;
