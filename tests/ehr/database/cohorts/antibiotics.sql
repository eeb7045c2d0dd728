-- Hours from admission to the first intravenous antibiotic in stays with pneumonia.
SELECT COUNT(DISTINCT a.hadm_id) AS stays,
  ROUND(AVG(first_hour), 1) AS mean_hours
FROM `physionet-data.mimiciv_3_1_hosp.admissions` AS a
JOIN (
  SELECT hadm_id, MIN(starttime) AS started
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions`
  WHERE REGEXP_CONTAINS(LOWER(drug), r'(cef|cillin|mycin|floxacin|penem)') AND route LIKE 'IV%'
  GROUP BY hadm_id
) AS p USING (hadm_id)
CROSS JOIN UNNEST([DATETIME_DIFF(p.started, a.admittime, HOUR)]) AS first_hour
WHERE EXISTS (
  SELECT 1 FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d
  WHERE d.hadm_id = a.hadm_id
    AND (d.icd_code LIKE 'J18%' OR d.icd_code LIKE 'J15%' OR d.icd_code LIKE '48[2-6]%' OR d.icd_code = '486')
)
