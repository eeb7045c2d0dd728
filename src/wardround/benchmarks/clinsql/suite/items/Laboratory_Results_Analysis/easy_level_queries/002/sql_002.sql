SELECT
  ROUND(MAX(e.valuenum), 2) AS highest_white_cells
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
          d.icd_version = 9 AND d.icd_code LIKE '276%'
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'E86%' OR d.icd_code LIKE 'E87%'
          )
        )
      )
  )
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 25 AND 35
  AND e.itemid = 51301
  AND e.valuenum BETWEEN 0.1 AND 200;
