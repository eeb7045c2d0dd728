-- Share of heart failure stays that are followed by another within 30 days.
WITH stays AS (
  SELECT a.subject_id, a.hadm_id, a.admittime, a.dischtime,
    LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admission
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a
)
SELECT COUNT(*) AS stays,
  SAFE_DIVIDE(COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30), COUNT(*)) AS readmitted
FROM stays
WHERE hadm_id IN (
  SELECT hadm_id FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd`
  WHERE (icd_version = 9 AND icd_code LIKE '428%') OR (icd_version = 10 AND icd_code LIKE 'I50%')
)
