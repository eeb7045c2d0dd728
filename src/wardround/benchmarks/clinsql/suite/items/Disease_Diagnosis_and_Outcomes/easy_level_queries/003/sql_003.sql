SELECT
  ROUND(100 * COUNTIF(a.hospital_expire_flag = 1) / COUNT(*), 2) AS mortality_percent
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
  AND p.anchor_age BETWEEN 58 AND 68;
