SELECT
  ROUND(AVG(e.valuenum), 2) AS mean_glucose
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
            d.icd_code LIKE '2962%' OR d.icd_code LIKE '3000%' OR d.icd_code LIKE '311%'
          )
        )
        OR (
          d.icd_version = 10
          AND (
            d.icd_code LIKE 'F32%' OR d.icd_code LIKE 'F33%' OR d.icd_code LIKE 'F41%'
          )
        )
      )
  )
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 36 AND 46
  AND e.itemid = 50931
  AND e.valuenum BETWEEN 10 AND 2000;
