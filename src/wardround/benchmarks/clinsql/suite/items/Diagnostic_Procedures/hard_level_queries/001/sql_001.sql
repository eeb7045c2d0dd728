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
          d.icd_version = 9 AND d.icd_code LIKE '585%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'N18%'
        )
      )
      AND NOT i.outtime IS NULL
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 65 AND 75
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.outtime, c.intime, HOUR) / 24 AS length_of_stay,
    COUNT(*) AS culture_count
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    e.itemid IN (225401, 225454, 225451)
    AND e.starttime >= c.intime
    AND e.starttime < DATETIME_ADD(c.intime, INTERVAL 48 HOUR)
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
    v.culture_count,
    DIV(NTILE(4) OVER (ORDER BY v.culture_count, v.stay_id), 4) AS top_quarter
  FROM stay_values AS v
)
SELECT
  v.top_quarter,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  ROUND(AVG(v.culture_count), 2) AS average_culture_count,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
FROM ranked AS v
GROUP BY
  v.top_quarter
ORDER BY
  v.top_quarter;
