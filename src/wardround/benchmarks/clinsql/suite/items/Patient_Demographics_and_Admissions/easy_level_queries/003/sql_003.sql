SELECT
  ROUND(100 * COUNTIF(a.discharge_location IN ('HOSPICE', 'DIED')) / COUNT(*), 2) AS died_or_hospice_percent
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a
  ON p.subject_id = a.subject_id
WHERE
  a.hadm_id IN (
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
  AND p.anchor_age BETWEEN 30 AND 40;
