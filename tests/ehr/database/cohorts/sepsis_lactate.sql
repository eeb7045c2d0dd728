-- Women over 65 with sepsis: highest lactate of the first day in intensive care, by outcome.
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, i.stay_id, i.intime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a ON a.subject_id = p.subject_id
  JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON i.hadm_id = a.hadm_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` d ON d.hadm_id = a.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year > 65
    AND ((d.icd_version = 10 AND STARTS_WITH(d.icd_code, 'A41'))
      OR (d.icd_version = 9 AND d.icd_code IN ('0389', '99591', '99592')))
), lactate AS (
  SELECT c.stay_id, ANY_VALUE(c.hospital_expire_flag) AS died, MAX(l.valuenum) AS highest
  FROM cohort c
  JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l
    ON l.hadm_id = c.hadm_id AND l.itemid = 50813
   AND l.charttime BETWEEN c.intime AND DATETIME_ADD(c.intime, INTERVAL 24 HOUR)
  GROUP BY c.stay_id
)
SELECT died, COUNT(*) AS stays, ROUND(AVG(highest), 2) AS mean_highest,
  APPROX_QUANTILES(highest, 4)[OFFSET(2)] AS median_highest
FROM lactate GROUP BY died ORDER BY died
