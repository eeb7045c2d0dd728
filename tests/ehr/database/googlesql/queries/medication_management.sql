SELECT COUNT(DISTINCT pr.subject_id) AS patients
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.subject_id = p.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85 AND LOWER(pr.drug) LIKE '%furosemide%'
;;
SELECT COUNT(DISTINCT pr.subject_id) AS patients
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.subject_id = p.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55 AND LOWER(pr.drug) LIKE '%insulin%'
;;
SELECT COUNT(DISTINCT pr.subject_id) AS patients
FROM `physionet-data.mimiciv_hosp.patients` p JOIN `physionet-data.mimiciv_hosp.prescriptions` pr ON pr.subject_id = p.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95 AND LOWER(pr.drug) LIKE '%warfarin%'
;;
WITH courses AS (
  SELECT DATETIME_DIFF(pr.stoptime, pr.starttime, HOUR) / 24 AS days
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = pr.subject_id
  WHERE LOWER(pr.drug) LIKE '%metoprolol%' AND p.gender = 'M' AND pr.stoptime > pr.starttime
)
SELECT ROUND(APPROX_QUANTILES(days, 100)[OFFSET(75)] - APPROX_QUANTILES(days, 100)[OFFSET(25)], 2) AS iqr_days FROM courses
;;
WITH courses AS (
  SELECT DATETIME_DIFF(pr.stoptime, pr.starttime, HOUR) / 24 AS days
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = pr.subject_id
  WHERE LOWER(pr.drug) LIKE '%furosemide%' AND p.gender = 'F' AND pr.stoptime > pr.starttime
)
SELECT ROUND(APPROX_QUANTILES(days, 100)[OFFSET(75)] - APPROX_QUANTILES(days, 100)[OFFSET(25)], 2) AS iqr_days FROM courses
;;
WITH courses AS (
  SELECT DATETIME_DIFF(pr.stoptime, pr.starttime, HOUR) / 24 AS days
  FROM `physionet-data.mimiciv_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_hosp.patients` p ON p.subject_id = pr.subject_id
  WHERE LOWER(pr.drug) LIKE '%insulin%' AND p.gender = 'M' AND pr.stoptime > pr.starttime
)
SELECT ROUND(APPROX_QUANTILES(days, 100)[OFFSET(75)] - APPROX_QUANTILES(days, 100)[OFFSET(25)], 2) AS iqr_days FROM courses
;;
WITH courses AS (
  SELECT DATETIME_DIFF(pr.stoptime, pr.starttime, HOUR) / 24 AS days
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = pr.subject_id
  WHERE LOWER(pr.drug) LIKE '%warfarin%' AND p.gender = 'F' AND pr.stoptime > pr.starttime
)
SELECT ROUND(APPROX_QUANTILES(days, 100)[OFFSET(75)] - APPROX_QUANTILES(days, 100)[OFFSET(25)], 2) AS iqr_days FROM courses
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
given AS (
  SELECT c.hadm_id,
    MAX(IF(pr.starttime <= DATETIME_ADD(c.admittime, INTERVAL 24 HOUR), 1, 0)) AS early,
    MAX(CASE WHEN pr.starttime >= DATETIME_SUB(c.dischtime, INTERVAL 24 HOUR) THEN 1 ELSE 0 END) AS late
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.hadm_id = c.hadm_id
  WHERE LOWER(pr.drug) LIKE '%metformin%' GROUP BY c.hadm_id
)
SELECT 'first 24 h' AS period, SUM(early) AS admissions, ROUND(SAFE_DIVIDE(SUM(early), (SELECT COUNT(*) FROM cohort)) * 100, 2) AS percent FROM given
UNION ALL
SELECT 'last 24 h', SUM(late), ROUND(SAFE_DIVIDE(SUM(late), (SELECT COUNT(*) FROM cohort)) * 100, 2) FROM given
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
given AS (
  SELECT c.hadm_id,
    MAX(IF(pr.starttime <= DATETIME_ADD(c.admittime, INTERVAL 24 HOUR), 1, 0)) AS early,
    MAX(CASE WHEN pr.starttime >= DATETIME_SUB(c.dischtime, INTERVAL 24 HOUR) THEN 1 ELSE 0 END) AS late
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.hadm_id = c.hadm_id
  WHERE LOWER(pr.drug) LIKE '%metoprolol%' GROUP BY c.hadm_id
)
SELECT 'first 24 h' AS period, SUM(early) AS admissions, ROUND(SAFE_DIVIDE(SUM(early), (SELECT COUNT(*) FROM cohort)) * 100, 2) AS percent FROM given
UNION ALL
SELECT 'last 24 h', SUM(late), ROUND(SAFE_DIVIDE(SUM(late), (SELECT COUNT(*) FROM cohort)) * 100, 2) FROM given
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'F'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 50 AND 85
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'N17%') OR (d.icd_version = 9 AND d.icd_code LIKE '584%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
given AS (
  SELECT c.hadm_id,
    MAX(IF(pr.starttime <= DATETIME_ADD(c.admittime, INTERVAL 24 HOUR), 1, 0)) AS early,
    MAX(CASE WHEN pr.starttime >= DATETIME_SUB(c.dischtime, INTERVAL 24 HOUR) THEN 1 ELSE 0 END) AS late
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.prescriptions` pr ON pr.hadm_id = c.hadm_id
  WHERE LOWER(pr.drug) LIKE '%furosemide%' GROUP BY c.hadm_id
)
SELECT 'first 24 h' AS period, SUM(early) AS admissions, ROUND(SAFE_DIVIDE(SUM(early), (SELECT COUNT(*) FROM cohort)) * 100, 2) AS percent FROM given
UNION ALL
SELECT 'last 24 h', SUM(late), ROUND(SAFE_DIVIDE(SUM(late), (SELECT COUNT(*) FROM cohort)) * 100, 2) FROM given
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
burden AS (
  SELECT c.hadm_id, c.hospital_expire_flag, COUNT(DISTINCT pr.drug) AS drugs, COUNT(DISTINCT pr.route) AS routes
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr
    ON pr.hadm_id = c.hadm_id AND pr.starttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY 1, 2
), ranked AS (
  SELECT *, NTILE(4) OVER (ORDER BY drugs + routes) AS quartile FROM burden
)
SELECT quartile, COUNT(*) AS n, ROUND(APPROX_QUANTILES(drugs, 100)[OFFSET(50)], 2) AS median_drugs, ROUND(100 * AVG(hospital_expire_flag), 2) AS mortality
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
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
burden AS (
  SELECT c.hadm_id, c.hospital_expire_flag, COUNT(DISTINCT pr.drug) AS drugs, COUNT(DISTINCT pr.route) AS routes
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr
    ON pr.hadm_id = c.hadm_id AND pr.starttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY 1, 2
), ranked AS (
  SELECT *, NTILE(4) OVER (ORDER BY drugs + routes) AS quartile FROM burden
)
SELECT quartile, COUNT(*) AS n, ROUND(AVG(drugs), 2) AS mean_drugs, ROUND(100 * AVG(hospital_expire_flag), 2) AS mortality
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
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
burden AS (
  SELECT c.hadm_id, c.hospital_expire_flag, COUNT(DISTINCT pr.drug) AS drugs, COUNT(DISTINCT pr.route) AS routes
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_hosp.prescriptions` pr
    ON pr.hadm_id = c.hadm_id AND pr.starttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY 1, 2
), ranked AS (
  SELECT *, NTILE(4) OVER (ORDER BY drugs + routes) AS quartile FROM burden
)
SELECT quartile, COUNT(*) AS n, ROUND(APPROX_QUANTILES(drugs, 100)[OFFSET(50)], 2) AS median_drugs, ROUND(100 * AVG(hospital_expire_flag), 2) AS mortality
FROM ranked GROUP BY quartile ORDER BY quartile
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
burden AS (
  SELECT c.hadm_id, c.hospital_expire_flag, COUNT(DISTINCT pr.drug) AS drugs, COUNT(DISTINCT pr.route) AS routes
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr
    ON pr.hadm_id = c.hadm_id AND pr.starttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 48 HOUR)
  GROUP BY 1, 2
), ranked AS (
  SELECT *, NTILE(4) OVER (ORDER BY drugs + routes) AS quartile FROM burden
)
SELECT quartile, COUNT(*) AS n, ROUND(APPROX_QUANTILES(drugs, 100)[OFFSET(50)], 2) AS median_drugs, ROUND(100 * AVG(hospital_expire_flag), 2) AS mortality
FROM ranked GROUP BY quartile ORDER BY quartile
;;
WITH doses AS (
  SELECT pr.subject_id, SAFE_CAST(pr.dose_val_rx AS FLOAT64) AS dose, pr.dose_unit_rx
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_3_1_hosp.patients` p USING (subject_id)
  WHERE LOWER(pr.drug) LIKE '%aspirin%' AND p.anchor_age BETWEEN 40 AND 90
)
SELECT dose_unit_rx, COUNT(*) AS n, ROUND(APPROX_QUANTILES(dose, 100)[OFFSET(50)], 2) AS median_dose, COUNTIF(dose IS NULL) AS unreadable
FROM doses GROUP BY dose_unit_rx ORDER BY n DESC, dose_unit_rx
;;
WITH doses AS (
  SELECT pr.subject_id, SAFE_CAST(pr.dose_val_rx AS FLOAT64) AS dose, pr.dose_unit_rx
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_3_1_hosp.patients` p USING (subject_id)
  WHERE LOWER(pr.drug) LIKE '%heparin%' AND p.anchor_age BETWEEN 30 AND 90
)
SELECT dose_unit_rx, COUNT(*) AS n, ROUND(AVG(dose), 2) AS mean_dose, COUNTIF(dose IS NULL) AS unreadable
FROM doses GROUP BY dose_unit_rx ORDER BY n DESC, dose_unit_rx
;;
WITH doses AS (
  SELECT pr.subject_id, SAFE_CAST(pr.dose_val_rx AS FLOAT64) AS dose, pr.dose_unit_rx
  FROM `physionet-data.mimiciv_hosp.prescriptions` pr JOIN `physionet-data.mimiciv_hosp.patients` p USING (subject_id)
  WHERE LOWER(pr.drug) LIKE '%metformin%' AND p.anchor_age BETWEEN 60 AND 70
)
SELECT dose_unit_rx, COUNT(*) AS n, ROUND(APPROX_QUANTILES(dose, 100)[OFFSET(50)], 2) AS median_dose, COUNTIF(dose IS NULL) AS unreadable
FROM doses GROUP BY dose_unit_rx ORDER BY n DESC, dose_unit_rx
;;
WITH first_order AS (
  SELECT pr.subject_id, pr.hadm_id, pr.drug, pr.starttime,
    ROW_NUMBER() OVER (PARTITION BY pr.hadm_id ORDER BY pr.starttime, pr.pharmacy_id) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr WHERE REGEXP_CONTAINS(LOWER(pr.drug), r'insulin|heparin|furosemide')
), delay AS (
  SELECT f.hadm_id, DATETIME_DIFF(f.starttime, a.admittime, MINUTE) AS minutes
  FROM first_order f JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a ON a.hadm_id = f.hadm_id
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = a.subject_id
  WHERE f.nr = 1 AND p.gender = 'M'
)
SELECT COUNT(*) AS n, APPROX_QUANTILES(minutes, 2)[OFFSET(1)] AS median_minutes, FORMAT('%.1f h', AVG(minutes) / 60) AS mean_delay FROM delay
;;
WITH first_order AS (
  SELECT pr.subject_id, pr.hadm_id, pr.drug, pr.starttime,
    ROW_NUMBER() OVER (PARTITION BY pr.hadm_id ORDER BY pr.starttime, pr.pharmacy_id) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.prescriptions` pr WHERE REGEXP_CONTAINS(LOWER(pr.drug), r'insulin|heparin|furosemide')
), delay AS (
  SELECT f.hadm_id, DATETIME_DIFF(f.starttime, a.admittime, MINUTE) AS minutes
  FROM first_order f JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a ON a.hadm_id = f.hadm_id
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = a.subject_id
  WHERE f.nr = 1 AND p.gender = 'F'
)
SELECT COUNT(*) AS n, APPROX_QUANTILES(minutes, 2)[OFFSET(1)] AS median_minutes, FORMAT('%.1f h', AVG(minutes) / 60) AS mean_delay FROM delay
;;
WITH first_order AS (
  SELECT pr.subject_id, pr.hadm_id, pr.drug, pr.starttime,
    ROW_NUMBER() OVER (PARTITION BY pr.hadm_id ORDER BY pr.starttime, pr.pharmacy_id) AS nr
  FROM `physionet-data.mimiciv_hosp.prescriptions` pr WHERE REGEXP_CONTAINS(LOWER(pr.drug), r'insulin|heparin|furosemide')
), delay AS (
  SELECT f.hadm_id, DATETIME_DIFF(f.starttime, a.admittime, MINUTE) AS minutes
  FROM first_order f JOIN `physionet-data.mimiciv_hosp.admissions` a ON a.hadm_id = f.hadm_id
  JOIN `physionet-data.mimiciv_hosp.patients` p ON p.subject_id = a.subject_id
  WHERE f.nr = 1 AND p.gender = 'M'
)
SELECT COUNT(*) AS n, APPROX_QUANTILES(minutes, 2)[OFFSET(1)] AS median_minutes, FORMAT('%.1f h', AVG(minutes) / 60) AS mean_delay FROM delay
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
per_admission AS (
  SELECT c.hadm_id, STRING_AGG(DISTINCT pr.route, ', ' ORDER BY pr.route) AS routes, COUNT(*) AS orders
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr USING (hadm_id) GROUP BY c.hadm_id
)
SELECT routes, COUNT(*) AS admissions, SUM(orders) AS orders,
  DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place
FROM per_admission GROUP BY routes ORDER BY place, routes LIMIT 5
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
per_admission AS (
  SELECT c.hadm_id, STRING_AGG(DISTINCT pr.route, ', ' ORDER BY pr.route) AS routes, COUNT(*) AS orders
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr USING (hadm_id) GROUP BY c.hadm_id
)
SELECT routes, COUNT(*) AS admissions, SUM(orders) AS orders,
  DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place
FROM per_admission GROUP BY routes ORDER BY place, routes LIMIT 5
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
per_admission AS (
  SELECT c.hadm_id, STRING_AGG(DISTINCT pr.route, ', ' ORDER BY pr.route) AS routes, COUNT(*) AS orders
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.prescriptions` pr USING (hadm_id) GROUP BY c.hadm_id
)
SELECT routes, COUNT(*) AS admissions, SUM(orders) AS orders,
  DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS place
FROM per_admission GROUP BY routes ORDER BY place, routes LIMIT 5
;;
DECLARE hours INT64 DEFAULT 72;
WITH starts AS (
  SELECT a.hadm_id, DATETIME_DIFF(pr.starttime, a.admittime, HOUR) AS h
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.hadm_id = a.hadm_id
  WHERE LOWER(pr.drug) LIKE '%insulin%'
)
SELECT COUNT(DISTINCT hadm_id) AS admissions, ROUND(APPROX_QUANTILES(h, 100)[OFFSET(50)], 2) AS median_hours FROM starts WHERE h BETWEEN 0 AND hours
;;
DECLARE hours INT64 DEFAULT 72;
WITH starts AS (
  SELECT a.hadm_id, DATETIME_DIFF(pr.starttime, a.admittime, HOUR) AS h
  FROM `physionet-data.mimiciv_3_1_hosp.admissions` a JOIN `physionet-data.mimiciv_3_1_hosp.prescriptions` pr ON pr.hadm_id = a.hadm_id
  WHERE LOWER(pr.drug) LIKE '%warfarin%'
)
SELECT COUNT(DISTINCT hadm_id) AS admissions, ROUND(AVG(h), 2) AS mean_hours FROM starts WHERE h BETWEEN 0 AND hours
;;
DECLARE hours INT64 DEFAULT 72;
WITH starts AS (
  SELECT a.hadm_id, DATETIME_DIFF(pr.starttime, a.admittime, HOUR) AS h
  FROM `physionet-data.mimiciv_hosp.admissions` a JOIN `physionet-data.mimiciv_hosp.prescriptions` pr ON pr.hadm_id = a.hadm_id
  WHERE LOWER(pr.drug) LIKE '%vancomycin%'
)
SELECT COUNT(DISTINCT hadm_id) AS admissions, ROUND(APPROX_QUANTILES(h, 100)[OFFSET(50)], 2) AS median_hours FROM starts WHERE h BETWEEN 0 AND hours
