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
        d.icd_version = 9 AND d.icd_code LIKE '585%'
      )
      OR (
        d.icd_version = 10 AND d.icd_code LIKE 'N18%'
      )
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 49 AND 59
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    MIN(e.valuenum) AS lowest_hemoglobin
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.labevents` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      e.itemid = 51222 AND e.valuenum BETWEEN 2 AND 25
    )
    AND e.charttime >= c.admittime
    AND e.charttime < DATETIME_ADD(c.admittime, INTERVAL 72 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.lowest_hemoglobin), 2) AS average_lowest_hemoglobin,
  ROUND(APPROX_QUANTILES(v.lowest_hemoglobin, 100)[OFFSET(25)], 2) AS p25_lowest_hemoglobin,
  ROUND(APPROX_QUANTILES(v.lowest_hemoglobin, 100)[OFFSET(50)], 2) AS p50_lowest_hemoglobin,
  ROUND(APPROX_QUANTILES(v.lowest_hemoglobin, 100)[OFFSET(75)], 2) AS p75_lowest_hemoglobin
FROM stay_values AS v;
