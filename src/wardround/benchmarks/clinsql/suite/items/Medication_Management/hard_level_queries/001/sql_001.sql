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
          d.icd_version = 9 AND d.icd_code LIKE '414%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'I25%'
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 60 AND 70
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay,
    SUM(DATETIME_DIFF(e.stoptime, e.starttime, HOUR)) / 24 AS furosemide_days
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      LOWER(e.drug) LIKE '%furosemide%'
      AND e.hadm_id IN (
        SELECT
          f.hadm_id
        FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` AS f
        WHERE
          LOWER(f.drug) LIKE '%metoprolol%'
      )
    )
    AND e.stoptime > e.starttime
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
    v.furosemide_days,
    DIV(NTILE(4) OVER (ORDER BY v.furosemide_days, v.hadm_id), 4) AS top_quarter
  FROM stay_values AS v
)
SELECT
  v.top_quarter,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.furosemide_days), 2) AS average_furosemide_days,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
FROM ranked AS v
GROUP BY
  v.top_quarter
ORDER BY
  v.top_quarter;
