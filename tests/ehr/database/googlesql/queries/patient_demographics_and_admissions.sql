SELECT ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, DAY)), 2) AS avg_los_days
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
;;
SELECT ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, DAY)), 2) AS avg_los_days
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
;;
SELECT ROUND(AVG(DATETIME_DIFF(a.dischtime, a.admittime, DAY)), 2) AS avg_los_days
FROM `physionet-data.mimiciv_hosp.patients` AS p
JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
;;
WITH los AS (
  SELECT DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS days
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a USING (subject_id)
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85 AND a.dischtime IS NOT NULL
)
SELECT APPROX_QUANTILES(days, 4)[OFFSET(3)] - APPROX_QUANTILES(days, 4)[OFFSET(1)] AS iqr_los_days FROM los
;;
WITH los AS (
  SELECT DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS days
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a USING (subject_id)
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55 AND a.dischtime IS NOT NULL
)
SELECT APPROX_QUANTILES(days, 4)[OFFSET(3)] - APPROX_QUANTILES(days, 4)[OFFSET(1)] AS iqr_los_days FROM los
;;
WITH los AS (
  SELECT DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS days
  FROM `physionet-data.mimiciv_hosp.patients` p JOIN `physionet-data.mimiciv_hosp.admissions` a USING (subject_id)
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95 AND a.dischtime IS NOT NULL
)
SELECT APPROX_QUANTILES(days, 4)[OFFSET(3)] - APPROX_QUANTILES(days, 4)[OFFSET(1)] AS iqr_los_days FROM los
;;
WITH los AS (
  SELECT DATETIME_DIFF(a.dischtime, a.admittime, DAY) AS days
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a USING (subject_id)
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80 AND a.dischtime IS NOT NULL
)
SELECT APPROX_QUANTILES(days, 4)[OFFSET(3)] - APPROX_QUANTILES(days, 4)[OFFSET(1)] AS iqr_los_days FROM los
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 55 AND 75
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J44%') OR (d.icd_version = 9 AND d.icd_code LIKE '496%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
strata AS (
  SELECT *, DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) AS los,
    CASE WHEN DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) < 4 THEN 'short' ELSE 'long' END AS stay_length
  FROM cohort
)
SELECT stay_length, COUNT(*) AS admissions, COUNT(DISTINCT subject_id) AS patients,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality_percent
FROM strata GROUP BY stay_length ORDER BY stay_length
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 50 AND 85
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
strata AS (
  SELECT *, DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) AS los,
    CASE WHEN DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) < 4 THEN 'short' ELSE 'long' END AS stay_length
  FROM cohort
)
SELECT stay_length, COUNT(*) AS admissions, COUNT(DISTINCT subject_id) AS patients,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality_percent
FROM strata GROUP BY stay_length ORDER BY stay_length
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I50%') OR (d.icd_version = 9 AND d.icd_code LIKE '428%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
strata AS (
  SELECT *, DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) AS los,
    CASE WHEN DATE_DIFF(DATE(dischtime), DATE(admittime), DAY) < 4 THEN 'short' ELSE 'long' END AS stay_length
  FROM cohort
)
SELECT stay_length, COUNT(*) AS admissions, COUNT(DISTINCT subject_id) AS patients,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality_percent
FROM strata GROUP BY stay_length ORDER BY stay_length
;;
WITH ordered AS (
  SELECT a.subject_id, a.hadm_id, a.dischtime,
    LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admission
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON a.subject_id = p.subject_id
  WHERE p.gender = 'F'
)
SELECT COUNT(*) AS discharges,
  COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30) AS readmitted_30_days,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30), COUNT(*)), 1) AS readmission_rate
FROM ordered WHERE dischtime IS NOT NULL
;;
WITH ordered AS (
  SELECT a.subject_id, a.hadm_id, a.dischtime,
    LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admission
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON a.subject_id = p.subject_id
  WHERE p.gender = 'M'
)
SELECT COUNT(*) AS discharges,
  COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30) AS readmitted_30_days,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30), COUNT(*)), 1) AS readmission_rate
FROM ordered WHERE dischtime IS NOT NULL
;;
WITH ordered AS (
  SELECT a.subject_id, a.hadm_id, a.dischtime,
    LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admission
  FROM `physionet-data.mimiciv_hosp.admissions` a JOIN `physionet-data.mimiciv_hosp.patients` p ON a.subject_id = p.subject_id
  WHERE p.gender = 'F'
)
SELECT COUNT(*) AS discharges,
  COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30) AS readmitted_30_days,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30), COUNT(*)), 1) AS readmission_rate
FROM ordered WHERE dischtime IS NOT NULL
;;
WITH ordered AS (
  SELECT a.subject_id, a.hadm_id, a.dischtime,
    LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admission
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON a.subject_id = p.subject_id
  WHERE p.gender = 'M'
)
SELECT COUNT(*) AS discharges,
  COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30) AS readmitted_30_days,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(DATETIME_DIFF(next_admission, dischtime, DAY) <= 30), COUNT(*)), 1) AS readmission_rate
FROM ordered WHERE dischtime IS NOT NULL
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
ranked AS (
  SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) / 24.0 AS los,
    PERCENT_RANK() OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS position,
    NTILE(4) OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS quartile,
    hospital_expire_flag
  FROM cohort
)
SELECT quartile, COUNT(*) AS n, ROUND(MIN(los), 2) AS min_los, ROUND(MAX(los), 2) AS max_los,
  ROUND(APPROX_QUANTILES(position, 100)[OFFSET(50)], 3) AS median_position, SUM(hospital_expire_flag) AS deaths
FROM ranked GROUP BY quartile ORDER BY quartile
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
ranked AS (
  SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) / 24.0 AS los,
    PERCENT_RANK() OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS position,
    NTILE(4) OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS quartile,
    hospital_expire_flag
  FROM cohort
)
SELECT quartile, COUNT(*) AS n, ROUND(MIN(los), 2) AS min_los, ROUND(MAX(los), 2) AS max_los,
  ROUND(AVG(position), 3) AS mean_position, SUM(hospital_expire_flag) AS deaths
FROM ranked GROUP BY quartile ORDER BY quartile
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
ranked AS (
  SELECT hadm_id, DATETIME_DIFF(dischtime, admittime, HOUR) / 24.0 AS los,
    PERCENT_RANK() OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS position,
    NTILE(4) OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR)) AS quartile,
    hospital_expire_flag
  FROM cohort
)
SELECT quartile, COUNT(*) AS n, ROUND(MIN(los), 2) AS min_los, ROUND(MAX(los), 2) AS max_los,
  ROUND(APPROX_QUANTILES(position, 100)[OFFSET(50)], 3) AS median_position, SUM(hospital_expire_flag) AS deaths
FROM ranked GROUP BY quartile ORDER BY quartile
;;
WITH first_admission AS (
  SELECT a.*, ROW_NUMBER() OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` AS a
), chosen AS (
  SELECT f.admission_type, f.insurance, DATETIME_DIFF(f.dischtime, f.admittime, DAY) AS los
  FROM first_admission AS f
  INNER JOIN `physionet-data.mimiciv_3_1_hosp.patients` AS p ON p.subject_id = f.subject_id
  WHERE f.nr = 1 AND p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90
)
SELECT admission_type, COUNT(*) AS n, APPROX_QUANTILES(los, 100)[OFFSET(50)] AS median_los,
  APPROX_QUANTILES(los, 100)[OFFSET(90)] AS p90_los, IF(COUNT(*) > 5, 'many', 'few') AS size
FROM chosen GROUP BY admission_type ORDER BY n DESC, admission_type
;;
WITH first_admission AS (
  SELECT a.*, ROW_NUMBER() OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` AS a
), chosen AS (
  SELECT f.admission_type, f.insurance, DATETIME_DIFF(f.dischtime, f.admittime, DAY) AS los
  FROM first_admission AS f
  INNER JOIN `physionet-data.mimiciv_3_1_hosp.patients` AS p ON p.subject_id = f.subject_id
  WHERE f.nr = 1 AND p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90
)
SELECT admission_type, COUNT(*) AS n, APPROX_QUANTILES(los, 100)[OFFSET(50)] AS median_los,
  APPROX_QUANTILES(los, 100)[OFFSET(90)] AS p90_los, IF(COUNT(*) > 5, 'many', 'few') AS size
FROM chosen GROUP BY admission_type ORDER BY n DESC, admission_type
;;
WITH first_admission AS (
  SELECT a.*, ROW_NUMBER() OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS nr
  FROM `physionet-data.mimiciv_hosp.admissions` AS a
), chosen AS (
  SELECT f.admission_type, f.insurance, DATETIME_DIFF(f.dischtime, f.admittime, DAY) AS los
  FROM first_admission AS f
  INNER JOIN `physionet-data.mimiciv_hosp.patients` AS p ON p.subject_id = f.subject_id
  WHERE f.nr = 1 AND p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70
)
SELECT admission_type, COUNT(*) AS n, APPROX_QUANTILES(los, 100)[OFFSET(50)] AS median_los,
  APPROX_QUANTILES(los, 100)[OFFSET(90)] AS p90_los, IF(COUNT(*) > 5, 'many', 'few') AS size
FROM chosen GROUP BY admission_type ORDER BY n DESC, admission_type
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'A41%' OR d.icd_code LIKE 'R652%')) OR (d.icd_version = 9 AND (d.icd_code LIKE '038%' OR d.icd_code LIKE '9959%')))
),
spread AS (
  SELECT DISTINCT PERCENTILE_CONT(DATETIME_DIFF(dischtime, admittime, HOUR), 0.5) OVER () AS median_hours FROM cohort
)
SELECT 'all' AS who, (SELECT COUNT(*) FROM cohort) AS n, ROUND(median_hours, 1) AS median_hours FROM spread
UNION ALL
SELECT 'died', COUNT(*), ROUND(AVG(DATETIME_DIFF(deathtime, admittime, HOUR)), 1) FROM cohort WHERE hospital_expire_flag = 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 40 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I48%') OR (d.icd_version = 9 AND d.icd_code LIKE '4273%'))
),
spread AS (
  SELECT DISTINCT PERCENTILE_CONT(DATETIME_DIFF(dischtime, admittime, HOUR), 0.5) OVER () AS median_hours FROM cohort
)
SELECT 'all' AS who, (SELECT COUNT(*) FROM cohort) AS n, ROUND(median_hours, 1) AS median_hours FROM spread
UNION ALL
SELECT 'died', COUNT(*), ROUND(AVG(DATETIME_DIFF(deathtime, admittime, HOUR)), 1) FROM cohort WHERE hospital_expire_flag = 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 30 AND 90
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'J18%') OR (d.icd_version = 9 AND d.icd_code LIKE '486%'))
),
spread AS (
  SELECT DISTINCT PERCENTILE_CONT(DATETIME_DIFF(dischtime, admittime, HOUR), 0.5) OVER () AS median_hours FROM cohort
)
SELECT 'all' AS who, (SELECT COUNT(*) FROM cohort) AS n, ROUND(median_hours, 1) AS median_hours FROM spread
UNION ALL
SELECT 'died', COUNT(*), ROUND(AVG(DATETIME_DIFF(deathtime, admittime, HOUR)), 1) FROM cohort WHERE hospital_expire_flag = 1
;;
SELECT APPROX_QUANTILES(DATETIME_DIFF(a.dischtime, a.admittime, DAY), 100)[OFFSET(75)] AS p75_los
FROM mimiciv_hosp.patients AS p JOIN mimiciv_hosp.admissions AS a ON a.subject_id = p.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95 AND a.insurance = 'Medicare'
;;
SELECT APPROX_QUANTILES(DATETIME_DIFF(a.dischtime, a.admittime, DAY), 100)[OFFSET(75)] AS p75_los
FROM mimiciv_hosp.patients AS p JOIN mimiciv_hosp.admissions AS a ON a.subject_id = p.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80 AND a.insurance = 'Medicare'
;;
SELECT APPROX_QUANTILES(DATETIME_DIFF(a.dischtime, a.admittime, DAY), 100)[OFFSET(75)] AS p75_los
FROM mimiciv_hosp.patients AS p JOIN mimiciv_hosp.admissions AS a ON a.subject_id = p.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90 AND a.insurance = 'Medicare'
;;
SELECT p.gender, COUNT(*) AS deaths, AVG(EXTRACT(DAY FROM p.dod - DATE(a.dischtime))) AS mean_days
FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
WHERE p.dod IS NOT NULL AND DATE(a.dischtime) - DATE(a.admittime) <= INTERVAL 30 DAY
GROUP BY p.gender
;;
SELECT a.insurance, CAST(AVG(CAST(DATETIME_DIFF(a.dischtime, a.admittime, HOUR) AS NUMERIC)) AS BIGNUMERIC) AS mean_hours,
  COUNTIF(EXTRACT(HOUR FROM a.dischtime - a.admittime) > 48) / NUMERIC '1' AS longer
FROM `physionet-data.mimiciv_3_1_hosp.admissions` AS a
GROUP BY a.insurance
