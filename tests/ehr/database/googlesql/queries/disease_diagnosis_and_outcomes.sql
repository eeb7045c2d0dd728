SELECT COUNT(DISTINCT p.subject_id) AS patients
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` d ON p.subject_id = d.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70 AND ((d.icd_version = 10 AND d.icd_code LIKE 'E11%') OR (d.icd_version = 9 AND d.icd_code LIKE '250%'))
;;
SELECT COUNT(DISTINCT p.subject_id) AS patients
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` d ON p.subject_id = d.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75 AND ((d.icd_version = 10 AND d.icd_code LIKE 'J44%') OR (d.icd_version = 9 AND d.icd_code LIKE '496%'))
;;
SELECT COUNT(DISTINCT p.subject_id) AS patients
FROM `physionet-data.mimiciv_hosp.patients` p JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` d ON p.subject_id = d.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85 AND ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 30 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J18%') OR (d.icd_version = 9 AND d.icd_code LIKE '486%'))
),
charlson AS (
  SELECT c.hadm_id, c.charlson_comorbidity_index AS cci FROM `physionet-data.mimiciv_derived.charlson` AS c
)
SELECT CASE WHEN cci <= 3 THEN '0-3' WHEN cci <= 6 THEN '4-6' ELSE '7+' END AS charlson_group, COUNT(*) AS admissions,
  ROUND(AVG(hospital_expire_flag) * 100, 2) AS mortality_percent,
  APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 2)[OFFSET(1)] AS median_los
FROM cohort JOIN charlson USING (hadm_id) GROUP BY 1 ORDER BY 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 60 AND 70
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'E11%') OR (d.icd_version = 9 AND d.icd_code LIKE '250%'))
),
charlson AS (
  SELECT c.hadm_id, c.charlson_comorbidity_index AS cci FROM `physionet-data.mimiciv_derived.charlson` AS c
)
SELECT CASE WHEN cci <= 3 THEN '0-3' WHEN cci <= 6 THEN '4-6' ELSE '7+' END AS charlson_group, COUNT(*) AS admissions,
  ROUND(AVG(hospital_expire_flag) * 100, 2) AS mortality_percent,
  APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 2)[OFFSET(1)] AS median_los
FROM cohort JOIN charlson USING (hadm_id) GROUP BY 1 ORDER BY 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 55 AND 75
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J44%') OR (d.icd_version = 9 AND d.icd_code LIKE '496%'))
),
charlson AS (
  SELECT c.hadm_id, c.charlson_comorbidity_index AS cci FROM `physionet-data.mimiciv_derived.charlson` AS c
)
SELECT CASE WHEN cci <= 3 THEN '0-3' WHEN cci <= 6 THEN '4-6' ELSE '7+' END AS charlson_group, COUNT(*) AS admissions,
  ROUND(AVG(hospital_expire_flag) * 100, 2) AS mortality_percent,
  APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 2)[OFFSET(1)] AS median_los
FROM cohort JOIN charlson USING (hadm_id) GROUP BY 1 ORDER BY 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 50 AND 85
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
),
charlson AS (
  SELECT c.hadm_id, c.charlson_comorbidity_index AS cci FROM `physionet-data.mimiciv_derived.charlson` AS c
)
SELECT CASE WHEN cci <= 3 THEN '0-3' WHEN cci <= 6 THEN '4-6' ELSE '7+' END AS charlson_group, COUNT(*) AS admissions,
  ROUND(AVG(hospital_expire_flag) * 100, 2) AS mortality_percent,
  APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 2)[OFFSET(1)] AS median_los
FROM cohort JOIN charlson USING (hadm_id) GROUP BY 1 ORDER BY 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 40 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I48%') OR (d.icd_version = 9 AND d.icd_code LIKE '4273%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
comorbid AS (
  SELECT c.hadm_id, COUNT(DISTINCT x.icd_code) AS codes,
    LOGICAL_OR(STARTS_WITH(x.icd_code, 'N18') OR STARTS_WITH(x.icd_code, '585')) AS has_ckd
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` x ON x.hadm_id = c.hadm_id GROUP BY c.hadm_id
), strata AS (
  SELECT c.*, m.codes, m.has_ckd, NTILE(3) OVER (ORDER BY m.codes) AS tertile
  FROM cohort c JOIN comorbid m ON c.hadm_id = m.hadm_id
)
SELECT tertile, COUNT(*) AS n, COUNTIF(has_ckd) AS with_ckd, MIN(codes) AS fewest, MAX(codes) AS most,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)), 4) AS mortality
FROM strata GROUP BY tertile ORDER BY tertile
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 30 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J18%') OR (d.icd_version = 9 AND d.icd_code LIKE '486%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
comorbid AS (
  SELECT c.hadm_id, COUNT(DISTINCT x.icd_code) AS codes,
    LOGICAL_OR(STARTS_WITH(x.icd_code, 'N18') OR STARTS_WITH(x.icd_code, '585')) AS has_ckd
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` x ON x.hadm_id = c.hadm_id GROUP BY c.hadm_id
), strata AS (
  SELECT c.*, m.codes, m.has_ckd, NTILE(3) OVER (ORDER BY m.codes) AS tertile
  FROM cohort c JOIN comorbid m ON c.hadm_id = m.hadm_id
)
SELECT tertile, COUNT(*) AS n, COUNTIF(has_ckd) AS with_ckd, MIN(codes) AS fewest, MAX(codes) AS most,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)), 4) AS mortality
FROM strata GROUP BY tertile ORDER BY tertile
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 60 AND 70
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'E11%') OR (d.icd_version = 9 AND d.icd_code LIKE '250%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
comorbid AS (
  SELECT c.hadm_id, COUNT(DISTINCT x.icd_code) AS codes,
    LOGICAL_OR(STARTS_WITH(x.icd_code, 'N18') OR STARTS_WITH(x.icd_code, '585')) AS has_ckd
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` x ON x.hadm_id = c.hadm_id GROUP BY c.hadm_id
), strata AS (
  SELECT c.*, m.codes, m.has_ckd, NTILE(3) OVER (ORDER BY m.codes) AS tertile
  FROM cohort c JOIN comorbid m ON c.hadm_id = m.hadm_id
)
SELECT tertile, COUNT(*) AS n, COUNTIF(has_ckd) AS with_ckd, MIN(codes) AS fewest, MAX(codes) AS most,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)), 4) AS mortality
FROM strata GROUP BY tertile ORDER BY tertile
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'A41%' OR d.icd_code LIKE 'R652%')) OR (d.icd_version = 9 AND (d.icd_code LIKE '038%' OR d.icd_code LIKE '9959%')))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
death AS (
  SELECT c.subject_id, c.hadm_id, p.dod,
    DATE_DIFF(p.dod, DATE(c.dischtime), DAY) AS days_after
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = c.subject_id
)
SELECT COUNT(*) AS admissions, COUNTIF(days_after BETWEEN 0 AND 30) AS died_30, COUNTIF(days_after BETWEEN 0 AND 90) AS died_90,
  SAFE_DIVIDE(COUNTIF(days_after BETWEEN 0 AND 30), COUNT(*)) AS share_30
FROM death
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 40 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I48%') OR (d.icd_version = 9 AND d.icd_code LIKE '4273%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
death AS (
  SELECT c.subject_id, c.hadm_id, p.dod,
    DATE_DIFF(p.dod, DATE(c.dischtime), DAY) AS days_after
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = c.subject_id
)
SELECT COUNT(*) AS admissions, COUNTIF(days_after BETWEEN 0 AND 30) AS died_30, COUNTIF(days_after BETWEEN 0 AND 90) AS died_90,
  SAFE_DIVIDE(COUNTIF(days_after BETWEEN 0 AND 30), COUNT(*)) AS share_30
FROM death
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 30 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J18%') OR (d.icd_version = 9 AND d.icd_code LIKE '486%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
death AS (
  SELECT c.subject_id, c.hadm_id, p.dod,
    DATE_DIFF(p.dod, DATE(c.dischtime), DAY) AS days_after
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.patients` p ON p.subject_id = c.subject_id
)
SELECT COUNT(*) AS admissions, COUNTIF(days_after BETWEEN 0 AND 30) AS died_30, COUNTIF(days_after BETWEEN 0 AND 90) AS died_90,
  SAFE_DIVIDE(COUNTIF(days_after BETWEEN 0 AND 30), COUNT(*)) AS share_30
FROM death
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 60 AND 70
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'E11%') OR (d.icd_version = 9 AND d.icd_code LIKE '250%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
death AS (
  SELECT c.subject_id, c.hadm_id, p.dod,
    DATE_DIFF(p.dod, DATE(c.dischtime), DAY) AS days_after
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = c.subject_id
)
SELECT COUNT(*) AS admissions, COUNTIF(days_after BETWEEN 0 AND 30) AS died_30, COUNTIF(days_after BETWEEN 0 AND 90) AS died_90,
  SAFE_DIVIDE(COUNTIF(days_after BETWEEN 0 AND 30), COUNT(*)) AS share_30
FROM death
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 20 AND 95
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'I21%' OR d.icd_code LIKE 'I22%')) OR (d.icd_version = 9 AND d.icd_code LIKE '410%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
score AS (
  SELECT c.hadm_id, c.subject_id,
    2 * MAX(IF(STARTS_WITH(x.icd_code, 'J96') OR STARTS_WITH(x.icd_code, '5188'), 1, 0))
    + MAX(IF(x.icd_code LIKE 'N17%' OR x.icd_code LIKE '584%', 1, 0)) AS risk
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` x USING (hadm_id) GROUP BY 1, 2
), placed AS (
  SELECT *, PERCENT_RANK() OVER (ORDER BY risk) AS pr, RANK() OVER (ORDER BY risk DESC) AS rk FROM score
)
SELECT risk, COUNT(*) AS n, ROUND(100 * MAX(pr), 2) AS percentile, MIN(rk) AS best_rank
FROM placed GROUP BY risk ORDER BY risk DESC
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'A41%' OR d.icd_code LIKE 'R652%')) OR (d.icd_version = 9 AND (d.icd_code LIKE '038%' OR d.icd_code LIKE '9959%')))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
score AS (
  SELECT c.hadm_id, c.subject_id,
    2 * MAX(IF(STARTS_WITH(x.icd_code, 'J96') OR STARTS_WITH(x.icd_code, '5188'), 1, 0))
    + MAX(IF(x.icd_code LIKE 'N17%' OR x.icd_code LIKE '584%', 1, 0)) AS risk
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` x USING (hadm_id) GROUP BY 1, 2
), placed AS (
  SELECT *, PERCENT_RANK() OVER (ORDER BY risk) AS pr, RANK() OVER (ORDER BY risk DESC) AS rk FROM score
)
SELECT risk, COUNT(*) AS n, ROUND(100 * MAX(pr), 2) AS percentile, MIN(rk) AS best_rank
FROM placed GROUP BY risk ORDER BY risk DESC
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 40 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I48%') OR (d.icd_version = 9 AND d.icd_code LIKE '4273%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
score AS (
  SELECT c.hadm_id, c.subject_id,
    2 * MAX(IF(STARTS_WITH(x.icd_code, 'J96') OR STARTS_WITH(x.icd_code, '5188'), 1, 0))
    + MAX(IF(x.icd_code LIKE 'N17%' OR x.icd_code LIKE '584%', 1, 0)) AS risk
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` x USING (hadm_id) GROUP BY 1, 2
), placed AS (
  SELECT *, PERCENT_RANK() OVER (ORDER BY risk) AS pr, RANK() OVER (ORDER BY risk DESC) AS rk FROM score
)
SELECT risk, COUNT(*) AS n, ROUND(100 * MAX(pr), 2) AS percentile, MIN(rk) AS best_rank
FROM placed GROUP BY risk ORDER BY risk DESC
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I50%') OR (d.icd_version = 9 AND d.icd_code LIKE '428%'))
),
los AS (SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) AS hours FROM cohort),
summary AS (SELECT APPROX_QUANTILES(hours, 4) AS q FROM los)
SELECT q[OFFSET(1)] AS q1, q[OFFSET(2)] AS median, q[OFFSET(3)] AS q3,
  q[SAFE_OFFSET(3)] - q[SAFE_OFFSET(1)] AS iqr FROM summary
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 20 AND 95
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'I21%' OR d.icd_code LIKE 'I22%')) OR (d.icd_version = 9 AND d.icd_code LIKE '410%'))
),
los AS (SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) AS hours FROM cohort),
summary AS (SELECT APPROX_QUANTILES(hours, 4) AS q FROM los)
SELECT q[OFFSET(1)] AS q1, q[OFFSET(2)] AS median, q[OFFSET(3)] AS q3,
  q[SAFE_OFFSET(3)] - q[SAFE_OFFSET(1)] AS iqr FROM summary
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'A41%' OR d.icd_code LIKE 'R652%')) OR (d.icd_version = 9 AND (d.icd_code LIKE '038%' OR d.icd_code LIKE '9959%')))
),
los AS (SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) AS hours FROM cohort),
summary AS (SELECT APPROX_QUANTILES(hours, 4) AS q FROM los)
SELECT q[OFFSET(1)] AS q1, q[OFFSET(2)] AS median, q[OFFSET(3)] AS q3,
  q[SAFE_OFFSET(3)] - q[SAFE_OFFSET(1)] AS iqr FROM summary
;;
WITH coded AS (
  SELECT d.hadm_id, d.seq_num, t.long_title
  FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` d
  JOIN `physionet-data.mimiciv_3_1_hosp.d_icd_diagnoses` t ON d.icd_code = t.icd_code AND d.icd_version = t.icd_version
  WHERE ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
)
SELECT long_title, COUNT(DISTINCT hadm_id) AS admissions, ROUND(APPROX_QUANTILES(seq_num, 100)[OFFSET(50)], 2) AS median_position
FROM coded GROUP BY long_title HAVING COUNT(DISTINCT hadm_id) > 0 ORDER BY admissions DESC, long_title LIMIT 10
;;
WITH coded AS (
  SELECT d.hadm_id, d.seq_num, t.long_title
  FROM `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` d
  JOIN `physionet-data.mimiciv_3_1_hosp.d_icd_diagnoses` t ON d.icd_code = t.icd_code AND d.icd_version = t.icd_version
  WHERE ((d.icd_version = 10 AND d.icd_code LIKE 'I50%') OR (d.icd_version = 9 AND d.icd_code LIKE '428%'))
)
SELECT long_title, COUNT(DISTINCT hadm_id) AS admissions, ROUND(AVG(seq_num), 2) AS mean_position
FROM coded GROUP BY long_title HAVING COUNT(DISTINCT hadm_id) > 0 ORDER BY admissions DESC, long_title LIMIT 10
;;
WITH coded AS (
  SELECT d.hadm_id, d.seq_num, t.long_title
  FROM `physionet-data.mimiciv_hosp.diagnoses_icd` d
  JOIN `physionet-data.mimiciv_hosp.d_icd_diagnoses` t ON d.icd_code = t.icd_code AND d.icd_version = t.icd_version
  WHERE ((d.icd_version = 10 AND (d.icd_code LIKE 'I21%' OR d.icd_code LIKE 'I22%')) OR (d.icd_version = 9 AND d.icd_code LIKE '410%'))
)
SELECT long_title, COUNT(DISTINCT hadm_id) AS admissions, ROUND(APPROX_QUANTILES(seq_num, 100)[OFFSET(50)], 2) AS median_position
FROM coded GROUP BY long_title HAVING COUNT(DISTINCT hadm_id) > 0 ORDER BY admissions DESC, long_title LIMIT 10
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 55 AND 75
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J44%') OR (d.icd_version = 9 AND d.icd_code LIKE '496%'))
),
others AS (
  SELECT a.hadm_id, a.hospital_expire_flag, DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS los
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a WHERE a.hadm_id NOT IN (SELECT hadm_id FROM cohort)
)
SELECT 'cohort' AS grp, COUNT(*) AS n, ROUND(100 * AVG(hospital_expire_flag), 2) AS died, APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 100)[OFFSET(50)] AS median_los FROM cohort
UNION ALL
SELECT 'others', COUNT(*), ROUND(100 * AVG(hospital_expire_flag), 2), APPROX_QUANTILES(los, 100)[OFFSET(50)] FROM others
ORDER BY grp
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 50 AND 85
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
),
others AS (
  SELECT a.hadm_id, a.hospital_expire_flag, DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS los
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a WHERE a.hadm_id NOT IN (SELECT hadm_id FROM cohort)
)
SELECT 'cohort' AS grp, COUNT(*) AS n, ROUND(100 * AVG(hospital_expire_flag), 2) AS died, APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 100)[OFFSET(50)] AS median_los FROM cohort
UNION ALL
SELECT 'others', COUNT(*), ROUND(100 * AVG(hospital_expire_flag), 2), APPROX_QUANTILES(los, 100)[OFFSET(50)] FROM others
ORDER BY grp
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I50%') OR (d.icd_version = 9 AND d.icd_code LIKE '428%'))
),
others AS (
  SELECT a.hadm_id, a.hospital_expire_flag, DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS los
  FROM `physionet-data.mimiciv_hosp.admissions` a WHERE a.hadm_id NOT IN (SELECT hadm_id FROM cohort)
)
SELECT 'cohort' AS grp, COUNT(*) AS n, ROUND(100 * AVG(hospital_expire_flag), 2) AS died, APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 100)[OFFSET(50)] AS median_los FROM cohort
UNION ALL
SELECT 'others', COUNT(*), ROUND(100 * AVG(hospital_expire_flag), 2), APPROX_QUANTILES(los, 100)[OFFSET(50)] FROM others
ORDER BY grp
