SELECT COUNT(DISTINCT pi.hadm_id) AS admissions
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON p.subject_id = pi.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
  AND ((pi.icd_version = 9 AND pi.icd_code LIKE '88%') OR (pi.icd_version = 10 AND STARTS_WITH(pi.icd_code, 'B')))
;;
SELECT COUNT(DISTINCT pi.hadm_id) AS admissions
FROM `physionet-data.mimiciv_3_1_hosp.patients` p JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON p.subject_id = pi.subject_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
  AND ((pi.icd_version = 9 AND pi.icd_code LIKE '88%') OR (pi.icd_version = 10 AND STARTS_WITH(pi.icd_code, 'B')))
;;
SELECT COUNT(DISTINCT pi.hadm_id) AS admissions
FROM `physionet-data.mimiciv_hosp.patients` p JOIN `physionet-data.mimiciv_hosp.procedures_icd` pi ON p.subject_id = pi.subject_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90
  AND ((pi.icd_version = 9 AND pi.icd_code LIKE '88%') OR (pi.icd_version = 10 AND STARTS_WITH(pi.icd_code, 'B')))
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
tests AS (
  SELECT c.hadm_id, COUNT(pi.icd_code) AS procedures
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON c.hadm_id = pi.hadm_id
    AND pi.chartdate BETWEEN DATE(c.admittime) AND DATE_ADD(DATE(c.admittime), INTERVAL 3 DAY)
  GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(procedures), 2) AS mean_procedures, MAX(procedures) AS most,
  APPROX_QUANTILES(procedures, 100)[OFFSET(90)] AS p90 FROM tests
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
tests AS (
  SELECT c.hadm_id, COUNT(pi.icd_code) AS procedures
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON c.hadm_id = pi.hadm_id
    AND pi.chartdate BETWEEN DATE(c.admittime) AND DATE_ADD(DATE(c.admittime), INTERVAL 3 DAY)
  GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(procedures), 2) AS mean_procedures, MAX(procedures) AS most,
  APPROX_QUANTILES(procedures, 100)[OFFSET(90)] AS p90 FROM tests
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
tests AS (
  SELECT c.hadm_id, COUNT(pi.icd_code) AS procedures
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_hosp.procedures_icd` pi ON c.hadm_id = pi.hadm_id
    AND pi.chartdate BETWEEN DATE(c.admittime) AND DATE_ADD(DATE(c.admittime), INTERVAL 3 DAY)
  GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(procedures), 2) AS mean_procedures, MAX(procedures) AS most,
  APPROX_QUANTILES(procedures, 100)[OFFSET(90)] AS p90 FROM tests
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
tests AS (
  SELECT c.hadm_id, COUNT(pi.icd_code) AS procedures
  FROM cohort c LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON c.hadm_id = pi.hadm_id
    AND pi.chartdate BETWEEN DATE(c.admittime) AND DATE_ADD(DATE(c.admittime), INTERVAL 3 DAY)
  GROUP BY c.hadm_id
)
SELECT COUNT(*) AS admissions, ROUND(AVG(procedures), 2) AS mean_procedures, MAX(procedures) AS most,
  APPROX_QUANTILES(procedures, 100)[OFFSET(90)] AS p90 FROM tests
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
),
load AS (
  SELECT s.stay_id, s.los, COUNT(pe.itemid) AS procedures,
    SUM(TIMESTAMP_DIFF(CAST(pe.endtime AS TIMESTAMP), CAST(pe.starttime AS TIMESTAMP), MINUTE)) AS minutes
  FROM stays s LEFT JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` pe
    ON pe.stay_id = s.stay_id AND pe.starttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 72 HOUR)
  GROUP BY 1, 2
), fifths AS (SELECT *, NTILE(5) OVER (ORDER BY procedures) AS fifth FROM load)
SELECT fifth, COUNT(*) AS stays, ROUND(APPROX_QUANTILES(procedures, 100)[OFFSET(50)], 2) AS median_procedures, ROUND(AVG(los), 2) AS mean_los, IFNULL(SUM(minutes), 0) AS minutes
FROM fifths GROUP BY fifth ORDER BY fifth
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
),
load AS (
  SELECT s.stay_id, s.los, COUNT(pe.itemid) AS procedures,
    SUM(TIMESTAMP_DIFF(CAST(pe.endtime AS TIMESTAMP), CAST(pe.starttime AS TIMESTAMP), MINUTE)) AS minutes
  FROM stays s LEFT JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` pe
    ON pe.stay_id = s.stay_id AND pe.starttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 72 HOUR)
  GROUP BY 1, 2
), fifths AS (SELECT *, NTILE(5) OVER (ORDER BY procedures) AS fifth FROM load)
SELECT fifth, COUNT(*) AS stays, ROUND(AVG(procedures), 2) AS mean_procedures, ROUND(AVG(los), 2) AS mean_los, IFNULL(SUM(minutes), 0) AS minutes
FROM fifths GROUP BY fifth ORDER BY fifth
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
),
load AS (
  SELECT s.stay_id, s.los, COUNT(pe.itemid) AS procedures,
    SUM(TIMESTAMP_DIFF(CAST(pe.endtime AS TIMESTAMP), CAST(pe.starttime AS TIMESTAMP), MINUTE)) AS minutes
  FROM stays s LEFT JOIN `physionet-data.mimiciv_icu.procedureevents` pe
    ON pe.stay_id = s.stay_id AND pe.starttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 72 HOUR)
  GROUP BY 1, 2
), fifths AS (SELECT *, NTILE(5) OVER (ORDER BY procedures) AS fifth FROM load)
SELECT fifth, COUNT(*) AS stays, ROUND(APPROX_QUANTILES(procedures, 100)[OFFSET(50)], 2) AS median_procedures, ROUND(AVG(los), 2) AS mean_los, IFNULL(SUM(minutes), 0) AS minutes
FROM fifths GROUP BY fifth ORDER BY fifth
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
icu_flag AS (
  SELECT c.hadm_id, c.hospital_expire_flag, DATETIME_DIFF(c.dischtime, c.admittime, DAY) AS los,
    IF(EXISTS(SELECT 1 FROM `physionet-data.mimiciv_3_1_icu.icustays` i WHERE i.hadm_id = c.hadm_id), 'ICU', 'ward') AS place
  FROM cohort c
), counted AS (
  SELECT f.hadm_id, f.place, f.los, f.hospital_expire_flag, COUNT(DISTINCT pi.icd_code) AS n
  FROM icu_flag f LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi USING (hadm_id) GROUP BY 1, 2, 3, 4
)
SELECT place, COUNT(*) AS admissions, ROUND(APPROX_QUANTILES(n, 100)[OFFSET(50)], 2) AS median_procedures, ROUND(AVG(los), 1) AS mean_los,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)) * 100, 1) AS mortality
FROM counted GROUP BY place ORDER BY place
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
icu_flag AS (
  SELECT c.hadm_id, c.hospital_expire_flag, DATETIME_DIFF(c.dischtime, c.admittime, DAY) AS los,
    IF(EXISTS(SELECT 1 FROM `physionet-data.mimiciv_3_1_icu.icustays` i WHERE i.hadm_id = c.hadm_id), 'ICU', 'ward') AS place
  FROM cohort c
), counted AS (
  SELECT f.hadm_id, f.place, f.los, f.hospital_expire_flag, COUNT(DISTINCT pi.icd_code) AS n
  FROM icu_flag f LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi USING (hadm_id) GROUP BY 1, 2, 3, 4
)
SELECT place, COUNT(*) AS admissions, ROUND(AVG(n), 2) AS mean_procedures, ROUND(AVG(los), 1) AS mean_los,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)) * 100, 1) AS mortality
FROM counted GROUP BY place ORDER BY place
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
icu_flag AS (
  SELECT c.hadm_id, c.hospital_expire_flag, DATETIME_DIFF(c.dischtime, c.admittime, DAY) AS los,
    IF(EXISTS(SELECT 1 FROM `physionet-data.mimiciv_icu.icustays` i WHERE i.hadm_id = c.hadm_id), 'ICU', 'ward') AS place
  FROM cohort c
), counted AS (
  SELECT f.hadm_id, f.place, f.los, f.hospital_expire_flag, COUNT(DISTINCT pi.icd_code) AS n
  FROM icu_flag f LEFT JOIN `physionet-data.mimiciv_hosp.procedures_icd` pi USING (hadm_id) GROUP BY 1, 2, 3, 4
)
SELECT place, COUNT(*) AS admissions, ROUND(APPROX_QUANTILES(n, 100)[OFFSET(50)], 2) AS median_procedures, ROUND(AVG(los), 1) AS mean_los,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)) * 100, 1) AS mortality
FROM counted GROUP BY place ORDER BY place
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
icu_flag AS (
  SELECT c.hadm_id, c.hospital_expire_flag, DATETIME_DIFF(c.dischtime, c.admittime, DAY) AS los,
    IF(EXISTS(SELECT 1 FROM `physionet-data.mimiciv_3_1_icu.icustays` i WHERE i.hadm_id = c.hadm_id), 'ICU', 'ward') AS place
  FROM cohort c
), counted AS (
  SELECT f.hadm_id, f.place, f.los, f.hospital_expire_flag, COUNT(DISTINCT pi.icd_code) AS n
  FROM icu_flag f LEFT JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi USING (hadm_id) GROUP BY 1, 2, 3, 4
)
SELECT place, COUNT(*) AS admissions, ROUND(APPROX_QUANTILES(n, 100)[OFFSET(50)], 2) AS median_procedures, ROUND(AVG(los), 1) AS mean_los,
  ROUND(SAFE_DIVIDE(COUNTIF(hospital_expire_flag = 1), COUNT(*)) * 100, 1) AS mortality
FROM counted GROUP BY place ORDER BY place
;;
WITH ventilated AS (
  SELECT pe.subject_id, pe.stay_id, MIN(pe.starttime) AS started
  FROM `physionet-data.mimiciv_3_1_icu.procedureevents` pe WHERE pe.itemid IN (225792, 225794) GROUP BY 1, 2
), delays AS (
  SELECT v.stay_id, DATETIME_DIFF(v.started, i.intime, HOUR) AS hours
  FROM ventilated v JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON i.stay_id = v.stay_id
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = v.subject_id WHERE p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70
)
SELECT COUNT(*) AS stays, ROUND(AVG(hours), 2) AS mean_hours, APPROX_QUANTILES(hours, 2)[OFFSET(1)] AS median_hours FROM delays
;;
WITH ventilated AS (
  SELECT pe.subject_id, pe.stay_id, MIN(pe.starttime) AS started
  FROM `physionet-data.mimiciv_3_1_icu.procedureevents` pe WHERE pe.itemid IN (225792, 225794) GROUP BY 1, 2
), delays AS (
  SELECT v.stay_id, DATETIME_DIFF(v.started, i.intime, HOUR) AS hours
  FROM ventilated v JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON i.stay_id = v.stay_id
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = v.subject_id WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75
)
SELECT COUNT(*) AS stays, ROUND(AVG(hours), 2) AS mean_hours, APPROX_QUANTILES(hours, 2)[OFFSET(1)] AS median_hours FROM delays
;;
WITH ventilated AS (
  SELECT pe.subject_id, pe.stay_id, MIN(pe.starttime) AS started
  FROM `physionet-data.mimiciv_icu.procedureevents` pe WHERE pe.itemid IN (225792, 225794) GROUP BY 1, 2
), delays AS (
  SELECT v.stay_id, DATETIME_DIFF(v.started, i.intime, HOUR) AS hours
  FROM ventilated v JOIN `physionet-data.mimiciv_icu.icustays` i ON i.stay_id = v.stay_id
  JOIN `physionet-data.mimiciv_hosp.patients` p ON p.subject_id = v.subject_id WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
)
SELECT COUNT(*) AS stays, ROUND(AVG(hours), 2) AS mean_hours, APPROX_QUANTILES(hours, 2)[OFFSET(1)] AS median_hours FROM delays
;;
WITH named AS (
  SELECT pi.hadm_id, pi.seq_num, t.long_title, pi.chartdate,
    ROW_NUMBER() OVER (PARTITION BY pi.hadm_id ORDER BY pi.seq_num) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi
  JOIN `physionet-data.mimiciv_3_1_hosp.d_icd_procedures` t ON pi.icd_code = t.icd_code AND pi.icd_version = t.icd_version
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = pi.subject_id
  WHERE p.gender = 'M'
)
SELECT long_title, COUNT(*) AS times, FORMAT_DATE('%Y', MIN(chartdate)) AS first_year,
  COUNTIF(EXTRACT(DAYOFWEEK FROM chartdate) IN (1, 7)) AS at_weekends
FROM named WHERE nr = 1 GROUP BY long_title ORDER BY times DESC, long_title LIMIT 5
;;
WITH named AS (
  SELECT pi.hadm_id, pi.seq_num, t.long_title, pi.chartdate,
    ROW_NUMBER() OVER (PARTITION BY pi.hadm_id ORDER BY pi.seq_num) AS nr
  FROM `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi
  JOIN `physionet-data.mimiciv_3_1_hosp.d_icd_procedures` t ON pi.icd_code = t.icd_code AND pi.icd_version = t.icd_version
  JOIN `physionet-data.mimiciv_3_1_hosp.patients` p ON p.subject_id = pi.subject_id
  WHERE p.gender = 'F'
)
SELECT long_title, COUNT(*) AS times, FORMAT_DATE('%Y', MIN(chartdate)) AS first_year,
  COUNTIF(EXTRACT(DAYOFWEEK FROM chartdate) IN (1, 7)) AS at_weekends
FROM named WHERE nr = 1 GROUP BY long_title ORDER BY times DESC, long_title LIMIT 5
;;
WITH named AS (
  SELECT pi.hadm_id, pi.seq_num, t.long_title, pi.chartdate,
    ROW_NUMBER() OVER (PARTITION BY pi.hadm_id ORDER BY pi.seq_num) AS nr
  FROM `physionet-data.mimiciv_hosp.procedures_icd` pi
  JOIN `physionet-data.mimiciv_hosp.d_icd_procedures` t ON pi.icd_code = t.icd_code AND pi.icd_version = t.icd_version
  JOIN `physionet-data.mimiciv_hosp.patients` p ON p.subject_id = pi.subject_id
  WHERE p.gender = 'M'
)
SELECT long_title, COUNT(*) AS times, FORMAT_DATE('%Y', MIN(chartdate)) AS first_year,
  COUNTIF(EXTRACT(DAYOFWEEK FROM chartdate) IN (1, 7)) AS at_weekends
FROM named WHERE nr = 1 GROUP BY long_title ORDER BY times DESC, long_title LIMIT 5
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
in_window AS (
  SELECT c.hadm_id, DATE_DIFF(pi.chartdate, DATE(c.admittime), DAY) AS day
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON pi.hadm_id = c.hadm_id
), bands AS (
  SELECT hadm_id, CASE WHEN day <= 0 THEN 'day 0' WHEN day <= 2 THEN 'day 1-2' ELSE 'later' END AS band FROM in_window
)
SELECT band, COUNT(*) AS procedures, COUNT(DISTINCT hadm_id) AS admissions,
  ROUND(SAFE_DIVIDE(COUNT(*), SUM(COUNT(*)) OVER ()), 3) AS share
FROM bands GROUP BY band ORDER BY band
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
in_window AS (
  SELECT c.hadm_id, DATE_DIFF(pi.chartdate, DATE(c.admittime), DAY) AS day
  FROM cohort c JOIN `physionet-data.mimiciv_3_1_hosp.procedures_icd` pi ON pi.hadm_id = c.hadm_id
), bands AS (
  SELECT hadm_id, CASE WHEN day <= 0 THEN 'day 0' WHEN day <= 2 THEN 'day 1-2' ELSE 'later' END AS band FROM in_window
)
SELECT band, COUNT(*) AS procedures, COUNT(DISTINCT hadm_id) AS admissions,
  ROUND(SAFE_DIVIDE(COUNT(*), SUM(COUNT(*)) OVER ()), 3) AS share
FROM bands GROUP BY band ORDER BY band
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
in_window AS (
  SELECT c.hadm_id, DATE_DIFF(pi.chartdate, DATE(c.admittime), DAY) AS day
  FROM cohort c JOIN `physionet-data.mimiciv_hosp.procedures_icd` pi ON pi.hadm_id = c.hadm_id
), bands AS (
  SELECT hadm_id, CASE WHEN day <= 0 THEN 'day 0' WHEN day <= 2 THEN 'day 1-2' ELSE 'later' END AS band FROM in_window
)
SELECT band, COUNT(*) AS procedures, COUNT(DISTINCT hadm_id) AS admissions,
  ROUND(SAFE_DIVIDE(COUNT(*), SUM(COUNT(*)) OVER ()), 3) AS share
FROM bands GROUP BY band ORDER BY band
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
first_stay AS (
  SELECT i.hadm_id, i.stay_id, i.intime, i.los FROM `physionet-data.mimiciv_3_1_icu.icustays` AS i
  JOIN cohort AS c ON c.hadm_id = i.hadm_id
  QUALIFY ROW_NUMBER() OVER (PARTITION BY i.hadm_id ORDER BY i.intime) = 1
)
SELECT COUNT(*) AS stays, COUNT(DISTINCT pe.itemid) AS kinds, ROUND(APPROX_QUANTILES(f.los, 4)[OFFSET(2)], 2) AS median_los,
  MAX(DATETIME_DIFF(pe.endtime, pe.starttime, HOUR)) AS longest_hours
FROM first_stay AS f LEFT JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS pe ON pe.stay_id = f.stay_id
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
first_stay AS (
  SELECT i.hadm_id, i.stay_id, i.intime, i.los FROM `physionet-data.mimiciv_3_1_icu.icustays` AS i
  JOIN cohort AS c ON c.hadm_id = i.hadm_id
  QUALIFY ROW_NUMBER() OVER (PARTITION BY i.hadm_id ORDER BY i.intime) = 1
)
SELECT COUNT(*) AS stays, COUNT(DISTINCT pe.itemid) AS kinds, ROUND(APPROX_QUANTILES(f.los, 4)[OFFSET(2)], 2) AS median_los,
  MAX(DATETIME_DIFF(pe.endtime, pe.starttime, HOUR)) AS longest_hours
FROM first_stay AS f LEFT JOIN `physionet-data.mimiciv_3_1_icu.procedureevents` AS pe ON pe.stay_id = f.stay_id
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
first_stay AS (
  SELECT i.hadm_id, i.stay_id, i.intime, i.los FROM `physionet-data.mimiciv_icu.icustays` AS i
  JOIN cohort AS c ON c.hadm_id = i.hadm_id
  QUALIFY ROW_NUMBER() OVER (PARTITION BY i.hadm_id ORDER BY i.intime) = 1
)
SELECT COUNT(*) AS stays, COUNT(DISTINCT pe.itemid) AS kinds, ROUND(APPROX_QUANTILES(f.los, 4)[OFFSET(2)], 2) AS median_los,
  MAX(DATETIME_DIFF(pe.endtime, pe.starttime, HOUR)) AS longest_hours
FROM first_stay AS f LEFT JOIN `physionet-data.mimiciv_icu.procedureevents` AS pe ON pe.stay_id = f.stay_id
