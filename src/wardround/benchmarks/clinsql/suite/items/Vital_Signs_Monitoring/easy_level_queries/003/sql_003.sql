SELECT
  ROUND(MAX(e.valuenum), 2) AS highest_heart_rate
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
          d.icd_version = 9 AND d.icd_code LIKE '585%'
        )
        OR (
          d.icd_version = 10 AND d.icd_code LIKE 'N18%'
        )
      )
  )
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 61 AND 71
  AND e.itemid = 220045
  AND e.valuenum BETWEEN 20 AND 300;
