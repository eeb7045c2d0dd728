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
          d.icd_version = 9 AND (
            d.icd_code LIKE '401%' OR d.icd_code LIKE '403%'
          )
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'I10%' OR d.icd_code LIKE 'I12%'
          )
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 38 AND 48
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay,
    COUNT(n.hadm_id) AS readmissions
  FROM cohort AS c
  LEFT JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS n
    ON c.subject_id = n.subject_id
    AND n.admittime > c.dischtime
    AND n.admittime <= DATETIME_ADD(c.dischtime, INTERVAL 30 DAY)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.hospital_expire_flag,
    c.admittime,
    c.dischtime
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  COUNTIF(v.readmissions > 0) AS readmitted_count,
  ROUND(100 * COUNTIF(v.readmissions > 0) / COUNT(*), 2) AS readmitted_percent
FROM stay_values AS v;
