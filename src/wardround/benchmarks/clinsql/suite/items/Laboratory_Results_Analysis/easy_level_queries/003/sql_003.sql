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
          d.icd_version = 9
          AND (
            d.icd_code LIKE '038%'
            OR d.icd_code LIKE '481%'
            OR d.icd_code LIKE '482%'
            OR d.icd_code LIKE '486%'
            OR d.icd_code LIKE '5990%'
            OR d.icd_code LIKE '9959%'
          )
        )
        OR (
          d.icd_version = 10
          AND (
            d.icd_code LIKE 'A41%'
            OR d.icd_code LIKE 'J13%'
            OR d.icd_code LIKE 'J15%'
            OR d.icd_code LIKE 'J18%'
            OR d.icd_code LIKE 'N390%'
            OR d.icd_code LIKE 'R652%'
          )
        )
      )
  )
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 76 AND 85
  AND e.itemid = 50983
  AND e.valuenum BETWEEN 95 AND 190;
