SELECT
  ROUND(AVG(e.valuenum), 2) AS mean_white_cells
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.labevents` AS e
  ON p.subject_id = e.subject_id
WHERE
  e.hadm_id IN (
    SELECT
      d.hadm_id
    FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    WHERE
      (
        (
          d.icd_version = 9 AND d.icd_code LIKE '250%'
        )
        OR (
          d.icd_version = 10
          AND (
            d.icd_code LIKE 'E10%' OR d.icd_code LIKE 'E11%' OR d.icd_code LIKE 'E13%'
          )
        )
      )
  )
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 47 AND 57
  AND e.itemid = 51301
  AND e.valuenum BETWEEN 0.1 AND 200;
