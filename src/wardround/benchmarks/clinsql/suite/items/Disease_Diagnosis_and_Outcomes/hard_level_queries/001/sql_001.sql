WITH cohort AS (
  SELECT DISTINCT
    p.subject_id,
    a.hadm_id,
    a.admittime,
    a.dischtime,
    a.discharge_location
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
    ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    ON a.hadm_id = d.hadm_id
  WHERE
    (
      (
        (
          d.icd_version = 9 AND d.icd_code LIKE '584%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'N17%'
        )
      )
      AND NOT a.dischtime IS NULL
    )
    AND p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 56 AND 66
), stay_values AS (
  SELECT
    c.subject_id,
    c.hadm_id,
    c.discharge_location,
    DATETIME_DIFF(c.dischtime, c.admittime, HOUR) / 24 AS length_of_stay,
    m.charlson_comorbidity_index AS charlson_index
  FROM cohort AS c
  JOIN `physionet-data.mimiciv_derived.charlson` AS m
    ON c.hadm_id = m.hadm_id
), ranked AS (
  SELECT
    v.subject_id,
    v.hadm_id,
    v.discharge_location,
    v.length_of_stay,
    v.charlson_index,
    NTILE(4) OVER (ORDER BY v.charlson_index, v.hadm_id) AS quartile
  FROM stay_values AS v
)
SELECT
  v.quartile,
  COUNT(DISTINCT v.subject_id) AS patient_count,
  COUNT(DISTINCT v.hadm_id) AS stay_count,
  ROUND(AVG(v.charlson_index), 2) AS average_charlson_index,
  ROUND(AVG(v.length_of_stay), 2) AS average_length_of_stay,
  ROUND(100 * COUNTIF(v.discharge_location IN ('HOME', 'HOME HEALTH CARE')) / COUNT(*), 2) AS home_percent
FROM ranked AS v
GROUP BY
  v.quartile
ORDER BY
  v.quartile;
