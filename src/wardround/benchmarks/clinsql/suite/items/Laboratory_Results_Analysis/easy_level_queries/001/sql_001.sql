SELECT
  ROUND(MIN(e.valuenum), 2) AS lowest_sodium
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
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 35 AND 45
  AND e.itemid = 50983
  AND e.valuenum BETWEEN 95 AND 190;
