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
    AND e.hadm_id IN (
      SELECT
        f.hadm_id
      FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` AS f
      WHERE
        (
          LOWER(f.drug) LIKE '%senna%'
          OR LOWER(f.drug) LIKE '%docusate%'
          OR LOWER(f.drug) LIKE '%bisacodyl%'
        )
    )
  )
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 30 AND 40
  AND (
    LOWER(e.drug) LIKE '%morphine%'
    OR LOWER(e.drug) LIKE '%hydromorphone%'
    OR LOWER(e.drug) LIKE '%oxycodone%'
  );
