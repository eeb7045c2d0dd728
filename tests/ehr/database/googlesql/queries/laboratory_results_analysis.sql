SELECT ROUND(STDDEV(l.valuenum), 2) AS sd_value
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON p.subject_id = l.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80 AND l.itemid = 50813 AND l.valuenum IS NOT NULL
;;
SELECT ROUND(STDDEV(l.valuenum), 2) AS sd_value
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON p.subject_id = l.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90 AND l.itemid = 51006 AND l.valuenum IS NOT NULL
;;
SELECT ROUND(STDDEV(l.valuenum), 2) AS sd_value
FROM `physionet-data.mimiciv_hosp.patients` p JOIN `physionet-data.mimiciv_hosp.labevents` l ON p.subject_id = l.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90 AND l.itemid = 51301 AND l.valuenum IS NOT NULL
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
first_lab AS (
  SELECT c.hadm_id, l.valuenum, ROW_NUMBER() OVER (PARTITION BY c.hadm_id ORDER BY l.charttime) AS nr
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.itemid = 50931 AND l.charttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 24 HOUR)
)
SELECT COUNT(*) AS n, ROUND(AVG(valuenum), 2) AS mean_first, APPROX_QUANTILES(valuenum, 4)[OFFSET(2)] AS median_first
FROM first_lab WHERE nr = 1
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
first_lab AS (
  SELECT c.hadm_id, l.valuenum, ROW_NUMBER() OVER (PARTITION BY c.hadm_id ORDER BY l.charttime) AS nr
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.itemid = 50813 AND l.charttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 24 HOUR)
)
SELECT COUNT(*) AS n, ROUND(AVG(valuenum), 2) AS mean_first, APPROX_QUANTILES(valuenum, 4)[OFFSET(2)] AS median_first
FROM first_lab WHERE nr = 1
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
first_lab AS (
  SELECT c.hadm_id, l.valuenum, ROW_NUMBER() OVER (PARTITION BY c.hadm_id ORDER BY l.charttime) AS nr
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.itemid = 51006 AND l.charttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 24 HOUR)
)
SELECT COUNT(*) AS n, ROUND(AVG(valuenum), 2) AS mean_first, APPROX_QUANTILES(valuenum, 4)[OFFSET(2)] AS median_first
FROM first_lab WHERE nr = 1
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
first_lab AS (
  SELECT c.hadm_id, l.valuenum, ROW_NUMBER() OVER (PARTITION BY c.hadm_id ORDER BY l.charttime) AS nr
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.itemid = 51301 AND l.charttime BETWEEN c.admittime AND DATETIME_ADD(c.admittime, INTERVAL 24 HOUR)
)
SELECT COUNT(*) AS n, ROUND(AVG(valuenum), 2) AS mean_first, APPROX_QUANTILES(valuenum, 4)[OFFSET(2)] AS median_first
FROM first_lab WHERE nr = 1
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_3_1_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 45 AND 55
    AND ((d.icd_version = 10 AND d.icd_code LIKE 'I50%') OR (d.icd_version = 9 AND d.icd_code LIKE '428%'))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
labs AS (
  SELECT c.hadm_id, l.itemid, l.valuenum, l.ref_range_lower, l.ref_range_upper, l.flag
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.charttime <= DATETIME_ADD(c.admittime, INTERVAL 72 HOUR) AND l.valuenum IS NOT NULL
), instability AS (
  SELECT hadm_id, COUNTIF(valuenum < ref_range_lower OR valuenum > ref_range_upper) AS abnormal, COUNT(*) AS total
  FROM labs GROUP BY hadm_id
)
SELECT COUNT(*) AS admissions, APPROX_QUANTILES(abnormal, 100)[OFFSET(75)] AS p75_abnormal,
  ROUND(AVG(SAFE_DIVIDE(abnormal, total)), 4) AS mean_share
FROM instability
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
labs AS (
  SELECT c.hadm_id, l.itemid, l.valuenum, l.ref_range_lower, l.ref_range_upper, l.flag
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.charttime <= DATETIME_ADD(c.admittime, INTERVAL 72 HOUR) AND l.valuenum IS NOT NULL
), instability AS (
  SELECT hadm_id, COUNTIF(valuenum < ref_range_lower OR valuenum > ref_range_upper) AS abnormal, COUNT(*) AS total
  FROM labs GROUP BY hadm_id
)
SELECT COUNT(*) AS admissions, APPROX_QUANTILES(abnormal, 100)[OFFSET(75)] AS p75_abnormal,
  ROUND(AVG(SAFE_DIVIDE(abnormal, total)), 4) AS mean_share
FROM instability
;;
WITH cohort AS (
  SELECT DISTINCT p.subject_id, a.hadm_id, a.admittime, a.dischtime, a.deathtime, a.hospital_expire_flag
  FROM `physionet-data.mimiciv_hosp.patients` AS p
  JOIN `physionet-data.mimiciv_hosp.admissions` AS a ON p.subject_id = a.subject_id
  JOIN `physionet-data.mimiciv_hosp.diagnoses_icd` AS d ON a.hadm_id = d.hadm_id
  WHERE p.gender = 'M'
    AND p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year BETWEEN 70 AND 80
    AND ((d.icd_version = 10 AND (d.icd_code LIKE 'A41%' OR d.icd_code LIKE 'R652%')) OR (d.icd_version = 9 AND (d.icd_code LIKE '038%' OR d.icd_code LIKE '9959%')))
    AND DATETIME_DIFF(a.dischtime, a.admittime, HOUR) >= 24
),
labs AS (
  SELECT c.hadm_id, l.itemid, l.valuenum, l.ref_range_lower, l.ref_range_upper, l.flag
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.labevents` l ON l.hadm_id = c.hadm_id
  WHERE l.charttime <= DATETIME_ADD(c.admittime, INTERVAL 72 HOUR) AND l.valuenum IS NOT NULL
), instability AS (
  SELECT hadm_id, COUNTIF(valuenum < ref_range_lower OR valuenum > ref_range_upper) AS abnormal, COUNT(*) AS total
  FROM labs GROUP BY hadm_id
)
SELECT COUNT(*) AS admissions, APPROX_QUANTILES(abnormal, 100)[OFFSET(75)] AS p75_abnormal,
  ROUND(AVG(SAFE_DIVIDE(abnormal, total)), 4) AS mean_share
FROM instability
;;
WITH values_of AS (
  SELECT l.subject_id, l.charttime, l.valuenum,
    LAG(l.valuenum) OVER (PARTITION BY l.subject_id ORDER BY l.charttime) AS previous
  FROM `physionet-data.mimiciv_3_1_hosp.labevents` l JOIN `physionet-data.mimiciv_3_1_hosp.patients` p USING (subject_id)
  WHERE l.itemid = 50971 AND p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
)
SELECT COUNT(*) AS pairs, ROUND(AVG(valuenum - previous), 3) AS mean_change, ROUND(MAX(ABS(valuenum - previous)), 3) AS largest_change
FROM values_of WHERE previous IS NOT NULL
;;
WITH values_of AS (
  SELECT l.subject_id, l.charttime, l.valuenum,
    LAG(l.valuenum) OVER (PARTITION BY l.subject_id ORDER BY l.charttime) AS previous
  FROM `physionet-data.mimiciv_3_1_hosp.labevents` l JOIN `physionet-data.mimiciv_3_1_hosp.patients` p USING (subject_id)
  WHERE l.itemid = 51003 AND p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
)
SELECT COUNT(*) AS pairs, ROUND(AVG(valuenum - previous), 3) AS mean_change, ROUND(MAX(ABS(valuenum - previous)), 3) AS largest_change
FROM values_of WHERE previous IS NOT NULL
;;
WITH values_of AS (
  SELECT l.subject_id, l.charttime, l.valuenum,
    LAG(l.valuenum) OVER (PARTITION BY l.subject_id ORDER BY l.charttime) AS previous
  FROM `physionet-data.mimiciv_hosp.labevents` l JOIN `physionet-data.mimiciv_hosp.patients` p USING (subject_id)
  WHERE l.itemid = 50931 AND p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
)
SELECT COUNT(*) AS pairs, ROUND(AVG(valuenum - previous), 3) AS mean_change, ROUND(MAX(ABS(valuenum - previous)), 3) AS largest_change
FROM values_of WHERE previous IS NOT NULL
;;
WITH values_of AS (
  SELECT l.subject_id, l.charttime, l.valuenum,
    LAG(l.valuenum) OVER (PARTITION BY l.subject_id ORDER BY l.charttime) AS previous
  FROM `physionet-data.mimiciv_3_1_hosp.labevents` l JOIN `physionet-data.mimiciv_3_1_hosp.patients` p USING (subject_id)
  WHERE l.itemid = 50813 AND p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
)
SELECT COUNT(*) AS pairs, ROUND(AVG(valuenum - previous), 3) AS mean_change, ROUND(MAX(ABS(valuenum - previous)), 3) AS largest_change
FROM values_of WHERE previous IS NOT NULL
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
peak AS (
  SELECT c.hadm_id, c.hospital_expire_flag, MAX(l.valuenum) AS peak_value
  FROM cohort c INNER JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON c.hadm_id = l.hadm_id
  WHERE l.itemid IN (50983, 51221) AND l.valuenum IS NOT NULL GROUP BY 1, 2
), bands AS (
  SELECT *, NTILE(5) OVER (ORDER BY peak_value) AS quintile FROM peak
)
SELECT quintile, COUNT(*) AS n, ROUND(MIN(peak_value), 2) AS low, ROUND(MAX(peak_value), 2) AS high,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality
FROM bands GROUP BY quintile ORDER BY quintile
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
peak AS (
  SELECT c.hadm_id, c.hospital_expire_flag, MAX(l.valuenum) AS peak_value
  FROM cohort c INNER JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON c.hadm_id = l.hadm_id
  WHERE l.itemid IN (50971, 51221) AND l.valuenum IS NOT NULL GROUP BY 1, 2
), bands AS (
  SELECT *, NTILE(5) OVER (ORDER BY peak_value) AS quintile FROM peak
)
SELECT quintile, COUNT(*) AS n, ROUND(MIN(peak_value), 2) AS low, ROUND(MAX(peak_value), 2) AS high,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality
FROM bands GROUP BY quintile ORDER BY quintile
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
peak AS (
  SELECT c.hadm_id, c.hospital_expire_flag, MAX(l.valuenum) AS peak_value
  FROM cohort c INNER JOIN `physionet-data.mimiciv_hosp.labevents` l ON c.hadm_id = l.hadm_id
  WHERE l.itemid IN (51003, 51221) AND l.valuenum IS NOT NULL GROUP BY 1, 2
), bands AS (
  SELECT *, NTILE(5) OVER (ORDER BY peak_value) AS quintile FROM peak
)
SELECT quintile, COUNT(*) AS n, ROUND(MIN(peak_value), 2) AS low, ROUND(MAX(peak_value), 2) AS high,
  ROUND(SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(*)) * 100, 2) AS mortality
FROM bands GROUP BY quintile ORDER BY quintile
;;
WITH one_a_person AS (
  SELECT l.subject_id, l.valuenum FROM `physionet-data.mimiciv_3_1_hosp.labevents` AS l
  WHERE l.itemid = 50912 AND l.valuenum IS NOT NULL
  QUALIFY ROW_NUMBER() OVER (PARTITION BY l.subject_id ORDER BY l.charttime DESC) = 1
)
SELECT COUNT(*) AS patients, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(25)], 2) AS p25, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(75)], 2) AS p75
FROM one_a_person JOIN `physionet-data.mimiciv_3_1_hosp.patients` USING (subject_id) WHERE gender = 'F'
;;
WITH one_a_person AS (
  SELECT l.subject_id, l.valuenum FROM `physionet-data.mimiciv_3_1_hosp.labevents` AS l
  WHERE l.itemid = 50983 AND l.valuenum IS NOT NULL
  QUALIFY ROW_NUMBER() OVER (PARTITION BY l.subject_id ORDER BY l.charttime DESC) = 1
)
SELECT COUNT(*) AS patients, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(25)], 2) AS p25, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(75)], 2) AS p75
FROM one_a_person JOIN `physionet-data.mimiciv_3_1_hosp.patients` USING (subject_id) WHERE gender = 'M'
;;
WITH one_a_person AS (
  SELECT l.subject_id, l.valuenum FROM `physionet-data.mimiciv_hosp.labevents` AS l
  WHERE l.itemid = 50971 AND l.valuenum IS NOT NULL
  QUALIFY ROW_NUMBER() OVER (PARTITION BY l.subject_id ORDER BY l.charttime DESC) = 1
)
SELECT COUNT(*) AS patients, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(25)], 2) AS p25, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(75)], 2) AS p75
FROM one_a_person JOIN `physionet-data.mimiciv_hosp.patients` USING (subject_id) WHERE gender = 'F'
;;
WITH limits AS (
  SELECT * FROM UNNEST([STRUCT(51301 AS itemid, 1.0 AS low, 10.0 AS high), STRUCT(50983, 135.0, 145.0), STRUCT(50971, 3.5, 5.0)])
), measured AS (
  SELECT l.hadm_id, l.itemid, l.valuenum FROM `physionet-data.mimiciv_3_1_hosp.labevents` l
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a ON a.hadm_id = l.hadm_id
  WHERE l.itemid IN (SELECT itemid FROM limits) AND DATETIME_DIFF(l.charttime, a.admittime, HOUR) BETWEEN 0 AND 48
)
SELECT m.itemid, COUNT(*) AS n, COUNTIF(m.valuenum NOT BETWEEN t.low AND t.high) AS outside
FROM measured m JOIN limits t ON t.itemid = m.itemid GROUP BY m.itemid ORDER BY m.itemid
;;
WITH limits AS (
  SELECT * FROM UNNEST([STRUCT(50912 AS itemid, 1.0 AS low, 10.0 AS high), STRUCT(50983, 135.0, 145.0), STRUCT(50971, 3.5, 5.0)])
), measured AS (
  SELECT l.hadm_id, l.itemid, l.valuenum FROM `physionet-data.mimiciv_3_1_hosp.labevents` l
  JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a ON a.hadm_id = l.hadm_id
  WHERE l.itemid IN (SELECT itemid FROM limits) AND DATETIME_DIFF(l.charttime, a.admittime, HOUR) BETWEEN 0 AND 48
)
SELECT m.itemid, COUNT(*) AS n, COUNTIF(m.valuenum NOT BETWEEN t.low AND t.high) AS outside
FROM measured m JOIN limits t ON t.itemid = m.itemid GROUP BY m.itemid ORDER BY m.itemid
;;
WITH limits AS (
  SELECT * FROM UNNEST([STRUCT(50983 AS itemid, 1.0 AS low, 10.0 AS high), STRUCT(50983, 135.0, 145.0), STRUCT(50971, 3.5, 5.0)])
), measured AS (
  SELECT l.hadm_id, l.itemid, l.valuenum FROM `physionet-data.mimiciv_hosp.labevents` l
  JOIN `physionet-data.mimiciv_hosp.admissions` a ON a.hadm_id = l.hadm_id
  WHERE l.itemid IN (SELECT itemid FROM limits) AND DATETIME_DIFF(l.charttime, a.admittime, HOUR) BETWEEN 0 AND 48
)
SELECT m.itemid, COUNT(*) AS n, COUNTIF(m.valuenum NOT BETWEEN t.low AND t.high) AS outside
FROM measured m JOIN limits t ON t.itemid = m.itemid GROUP BY m.itemid ORDER BY m.itemid
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
series AS (
  SELECT c.hadm_id, ARRAY_AGG(l.valuenum IGNORE NULLS ORDER BY l.charttime LIMIT 3) AS first_three
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id WHERE l.itemid = 51006 GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(first_three[SAFE_OFFSET(0)]), 2) AS first_value,
  ROUND(AVG(first_three[SAFE_OFFSET(2)]), 2) AS third_value, COUNTIF(ARRAY_LENGTH(first_three) = 3) AS with_three
FROM series
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
series AS (
  SELECT c.hadm_id, ARRAY_AGG(l.valuenum IGNORE NULLS ORDER BY l.charttime LIMIT 3) AS first_three
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.labevents` l ON l.hadm_id = c.hadm_id WHERE l.itemid = 51301 GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(first_three[SAFE_OFFSET(0)]), 2) AS first_value,
  ROUND(AVG(first_three[SAFE_OFFSET(2)]), 2) AS third_value, COUNTIF(ARRAY_LENGTH(first_three) = 3) AS with_three
FROM series
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
series AS (
  SELECT c.hadm_id, ARRAY_AGG(l.valuenum IGNORE NULLS ORDER BY l.charttime LIMIT 3) AS first_three
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.labevents` l ON l.hadm_id = c.hadm_id WHERE l.itemid = 50912 GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(first_three[SAFE_OFFSET(0)]), 2) AS first_value,
  ROUND(AVG(first_three[SAFE_OFFSET(2)]), 2) AS third_value, COUNTIF(ARRAY_LENGTH(first_three) = 3) AS with_three
FROM series
