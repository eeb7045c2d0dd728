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
  AND p.gender = 'M'
  AND p.anchor_age BETWEEN 57 AND 67
  AND NOT a.dischtime IS NULL;
