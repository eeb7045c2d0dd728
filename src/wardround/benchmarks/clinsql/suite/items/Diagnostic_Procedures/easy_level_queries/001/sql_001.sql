SELECT
  COUNT(DISTINCT p.subject_id) AS patient_count
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS e
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
            d.icd_code LIKE '491%' OR d.icd_code LIKE '492%' OR d.icd_code LIKE '496%'
          )
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'J43%' OR d.icd_code LIKE 'J44%'
          )
        )
      )
  )
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 66 AND 76
  AND e.itemid IN (225401, 225454, 225451);
