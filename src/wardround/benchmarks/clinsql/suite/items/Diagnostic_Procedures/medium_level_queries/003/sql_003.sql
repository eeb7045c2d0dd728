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
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 53 AND 63
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    COUNT(*) AS catheter_count
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS e
    ON c.stay_id = e.stay_id
  WHERE
    e.itemid IN (225752, 224263, 224264)
    AND e.starttime >= c.intime
    AND e.starttime < DATETIME_ADD(c.intime, INTERVAL 24 HOUR)
  GROUP BY
    c.subject_id,
    c.hadm_id,
    c.stay_id
)
SELECT
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  ROUND(AVG(v.catheter_count), 2) AS average_catheter_count,
  ROUND(APPROX_QUANTILES(v.catheter_count, 100)[OFFSET(25)], 2) AS p25_catheter_count,
  ROUND(APPROX_QUANTILES(v.catheter_count, 100)[OFFSET(50)], 2) AS p50_catheter_count,
  ROUND(APPROX_QUANTILES(v.catheter_count, 100)[OFFSET(75)], 2) AS p75_catheter_count
FROM stay_values AS v;
