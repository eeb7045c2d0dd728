SELECT
  ROUND(APPROX_QUANTILES(m.charlson_comorbidity_index, 100)[OFFSET(50)], 2) AS median_charlson_index
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_derived.charlson` AS m
  ON p.subject_id = m.subject_id
WHERE
  m.hadm_id IN (
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
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 49 AND 59;
