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
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 65 AND 75
), ordered AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.stay_id,
    c.hospital_expire_flag,
    c.intime,
    c.outtime,
    e.valuenum,
    ROW_NUMBER() OVER (PARTITION BY c.stay_id ORDER BY e.charttime, e.labevent_id) AS place
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_3_1_hosp.labevents` AS e
    ON c.hadm_id = e.hadm_id
  WHERE
    (
      e.itemid = 51301 AND e.valuenum BETWEEN 0.1 AND 200
    )
    AND e.charttime >= c.intime
    AND e.charttime < DATETIME_ADD(c.intime, INTERVAL 72 HOUR)
), stay_values AS (
  SELECT
    o.subject_id,
    o.hadm_id,
    o.stay_id,
    o.hospital_expire_flag,
    DATETIME_DIFF(o.outtime, o.intime, HOUR) / 24 AS length_of_stay,
    o.valuenum AS first_white_cells
  FROM ordered AS o
  WHERE
    o.place = 1
), ranked AS (
  SELECT
    v.subject_id,
    v.hadm_id,
    v.stay_id,
    v.hospital_expire_flag,
    v.length_of_stay,
    v.first_white_cells,
    DIV(NTILE(4) OVER (ORDER BY v.first_white_cells, v.stay_id), 4) AS top_quarter
  FROM stay_values AS v
)
SELECT
  v.top_quarter,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.stay_id) AS stay_count,
  ROUND(AVG(v.first_white_cells), 2) AS average_first_white_cells,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
FROM ranked AS v
GROUP BY
  v.top_quarter
ORDER BY
  v.top_quarter;
