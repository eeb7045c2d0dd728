SELECT
  ROUND(MIN(e.valuenum), 2) AS lowest_systolic_pressure
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
  ON p.subject_id = e.subject_id
WHERE
  e.hadm_id IN (
    SELECT
      d.hadm_id
    FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    WHERE
      (
        (
          d.icd_version = 9 AND d.icd_code LIKE '428%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'I50%'
        )
      )
  )
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 80 AND 85
  AND e.itemid IN (220050, 220179)
  AND e.valuenum BETWEEN 30 AND 300;
