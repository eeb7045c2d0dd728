SELECT
  COUNT(DISTINCT p.subject_id) AS patient_count
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` AS e
  ON p.subject_id = e.subject_id
WHERE
  (
    e.hadm_id IN (
      SELECT
        d.hadm_id
      FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
      WHERE
        (
          (
            d.icd_version = 9 AND d.icd_code LIKE '5308%'
          )
          OR (
            d.icd_version = 10 AND d.icd_code LIKE 'K21%'
          )
        )
    )
    AND e.hadm_id IN (
      SELECT
        f.hadm_id
      FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` AS f
      WHERE
        LOWER(f.drug) LIKE '%acetaminophen%'
    )
  )
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 58 AND 68
  AND (
    LOWER(e.drug) LIKE '%morphine%'
    OR LOWER(e.drug) LIKE '%hydromorphone%'
    OR LOWER(e.drug) LIKE '%oxycodone%'
  );
