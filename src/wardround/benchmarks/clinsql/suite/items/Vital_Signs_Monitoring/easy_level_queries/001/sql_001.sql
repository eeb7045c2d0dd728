SELECT
  ROUND(MAX(e.valuenum), 2) AS highest_temperature_f
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS e
  ON p.subject_id = e.subject_id
WHERE
  e.hadm_id IN (
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
  AND p.anchor_age BETWEEN 45 AND 55
  AND e.itemid = 223761
  AND e.valuenum BETWEEN 80 AND 112;
