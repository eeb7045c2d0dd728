SELECT
  COUNT(DISTINCT p.subject_id) AS patient_count
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
  ON p.subject_id = e.subject_id
WHERE
  e.hadm_id IN (
    SELECT
      d.hadm_id
    FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
    WHERE
      (
        (
          d.icd_version = 9 AND (
            d.icd_code LIKE '401%' OR d.icd_code LIKE '403%'
          )
        )
        OR (
          d.icd_version = 10 AND (
            d.icd_code LIKE 'I10%' OR d.icd_code LIKE 'I12%'
          )
        )
      )
  )
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 39 AND 49
  AND LOWER(e.drug) LIKE '%acetaminophen%';
