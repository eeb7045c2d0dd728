SELECT
  ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24), 2) AS average_length_of_stay
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
  AND p.gender = 'F'
  AND p.anchor_age BETWEEN 38 AND 48
  AND NOT a.dischtime IS NULL;
