SELECT ROUND(APPROX_QUANTILES(c.valuenum, 100)[OFFSET(50)], 2) AS median_value
FROM `physionet-data.mimiciv_3_1_hosp.patients` p
JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON i.subject_id = p.subject_id
JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = i.stay_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90 AND c.itemid = 220050 AND c.valuenum > 0
;;
SELECT ROUND(AVG(c.valuenum), 2) AS mean_value
FROM `physionet-data.mimiciv_3_1_hosp.patients` p
JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON i.subject_id = p.subject_id
JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = i.stay_id
WHERE p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70 AND c.itemid = 220179 AND c.valuenum > 0
;;
SELECT ROUND(APPROX_QUANTILES(c.valuenum, 100)[OFFSET(50)], 2) AS median_value
FROM `physionet-data.mimiciv_hosp.patients` p
JOIN `physionet-data.mimiciv_icu.icustays` i ON i.subject_id = p.subject_id
JOIN `physionet-data.mimiciv_icu.chartevents` c ON c.stay_id = i.stay_id
WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75 AND c.itemid = 220052 AND c.valuenum > 0
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90
),
vitals AS (
  SELECT s.stay_id, c.valuenum, c.charttime FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id
  WHERE c.itemid = 220045 AND c.charttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 24 HOUR)
)
SELECT COUNT(DISTINCT stay_id) AS stays, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 1) AS median_value,
  ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(95)], 1) AS p95_value FROM vitals
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90
),
vitals AS (
  SELECT s.stay_id, c.valuenum, c.charttime FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id
  WHERE c.itemid = 220050 AND c.charttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 24 HOUR)
)
SELECT COUNT(DISTINCT stay_id) AS stays, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 1) AS median_value,
  ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(95)], 1) AS p95_value FROM vitals
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70
),
vitals AS (
  SELECT s.stay_id, c.valuenum, c.charttime FROM stays s JOIN `physionet-data.mimiciv_icu.chartevents` c ON c.stay_id = s.stay_id
  WHERE c.itemid = 220179 AND c.charttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 24 HOUR)
)
SELECT COUNT(DISTINCT stay_id) AS stays, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 1) AS median_value,
  ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(95)], 1) AS p95_value FROM vitals
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75
),
vitals AS (
  SELECT s.stay_id, c.valuenum, c.charttime FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id
  WHERE c.itemid = 220052 AND c.charttime BETWEEN s.intime AND DATETIME_ADD(s.intime, INTERVAL 24 HOUR)
)
SELECT COUNT(DISTINCT stay_id) AS stays, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 1) AS median_value,
  ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(95)], 1) AS p95_value FROM vitals
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
),
hourly AS (
  SELECT s.stay_id, DATETIME_TRUNC(c.charttime, HOUR) AS hour, AVG(c.valuenum) AS value
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c USING (stay_id)
  WHERE c.itemid = 220210 AND DATETIME_DIFF(c.charttime, s.intime, HOUR) < 48 GROUP BY 1, 2
), steps AS (
  SELECT stay_id, ABS(value - LAG(value) OVER (PARTITION BY stay_id ORDER BY hour)) AS step FROM hourly
), scores AS (
  SELECT stay_id, AVG(step) AS score FROM steps GROUP BY stay_id
), placed AS (
  SELECT stay_id, score, NTILE(4) OVER (ORDER BY score) AS quartile, PERCENT_RANK() OVER (ORDER BY score) AS pr FROM scores WHERE score IS NOT NULL
)
SELECT p.quartile, COUNT(*) AS stays, ROUND(APPROX_QUANTILES(p.score, 100)[OFFSET(50)], 3) AS median_score, ROUND(AVG(s.los), 2) AS mean_icu_los
FROM placed p JOIN stays s ON s.stay_id = p.stay_id GROUP BY p.quartile ORDER BY p.quartile
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90
),
hourly AS (
  SELECT s.stay_id, DATETIME_TRUNC(c.charttime, HOUR) AS hour, AVG(c.valuenum) AS value
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c USING (stay_id)
  WHERE c.itemid = 220045 AND DATETIME_DIFF(c.charttime, s.intime, HOUR) < 48 GROUP BY 1, 2
), steps AS (
  SELECT stay_id, ABS(value - LAG(value) OVER (PARTITION BY stay_id ORDER BY hour)) AS step FROM hourly
), scores AS (
  SELECT stay_id, AVG(step) AS score FROM steps GROUP BY stay_id
), placed AS (
  SELECT stay_id, score, NTILE(4) OVER (ORDER BY score) AS quartile, PERCENT_RANK() OVER (ORDER BY score) AS pr FROM scores WHERE score IS NOT NULL
)
SELECT p.quartile, COUNT(*) AS stays, ROUND(AVG(p.score), 3) AS mean_score, ROUND(AVG(s.los), 2) AS mean_icu_los
FROM placed p JOIN stays s ON s.stay_id = p.stay_id GROUP BY p.quartile ORDER BY p.quartile
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90
),
hourly AS (
  SELECT s.stay_id, DATETIME_TRUNC(c.charttime, HOUR) AS hour, AVG(c.valuenum) AS value
  FROM stays s JOIN `physionet-data.mimiciv_icu.chartevents` c USING (stay_id)
  WHERE c.itemid = 220050 AND DATETIME_DIFF(c.charttime, s.intime, HOUR) < 48 GROUP BY 1, 2
), steps AS (
  SELECT stay_id, ABS(value - LAG(value) OVER (PARTITION BY stay_id ORDER BY hour)) AS step FROM hourly
), scores AS (
  SELECT stay_id, AVG(step) AS score FROM steps GROUP BY stay_id
), placed AS (
  SELECT stay_id, score, NTILE(4) OVER (ORDER BY score) AS quartile, PERCENT_RANK() OVER (ORDER BY score) AS pr FROM scores WHERE score IS NOT NULL
)
SELECT p.quartile, COUNT(*) AS stays, ROUND(APPROX_QUANTILES(p.score, 100)[OFFSET(50)], 3) AS median_score, ROUND(AVG(s.los), 2) AS mean_icu_los
FROM placed p JOIN stays s ON s.stay_id = p.stay_id GROUP BY p.quartile ORDER BY p.quartile
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
),
map AS (
  SELECT c.stay_id, c.valuenum AS map FROM `physionet-data.mimiciv_3_1_icu.chartevents` c
  WHERE c.itemid IN (220052, 220181) AND c.valuenum BETWEEN 20 AND 200
)
SELECT COUNT(DISTINCT s.stay_id) AS stays, COUNTIF(m.map < 65) AS low_readings,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(m.map < 65), COUNT(*)), 2) AS low_percent
FROM stays s JOIN map m ON m.stay_id = s.stay_id
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
),
map AS (
  SELECT c.stay_id, c.valuenum AS map FROM `physionet-data.mimiciv_3_1_icu.chartevents` c
  WHERE c.itemid IN (220052, 220181) AND c.valuenum BETWEEN 20 AND 200
)
SELECT COUNT(DISTINCT s.stay_id) AS stays, COUNTIF(m.map < 65) AS low_readings,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(m.map < 65), COUNT(*)), 2) AS low_percent
FROM stays s JOIN map m ON m.stay_id = s.stay_id
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 40 AND 90
),
map AS (
  SELECT c.stay_id, c.valuenum AS map FROM `physionet-data.mimiciv_icu.chartevents` c
  WHERE c.itemid IN (220052, 220181) AND c.valuenum BETWEEN 20 AND 200
)
SELECT COUNT(DISTINCT s.stay_id) AS stays, COUNTIF(m.map < 65) AS low_readings,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(m.map < 65), COUNT(*)), 2) AS low_percent
FROM stays s JOIN map m ON m.stay_id = s.stay_id
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 30 AND 90
),
map AS (
  SELECT c.stay_id, c.valuenum AS map FROM `physionet-data.mimiciv_3_1_icu.chartevents` c
  WHERE c.itemid IN (220052, 220181) AND c.valuenum BETWEEN 20 AND 200
)
SELECT COUNT(DISTINCT s.stay_id) AS stays, COUNTIF(m.map < 65) AS low_readings,
  ROUND(100 * SAFE_DIVIDE(COUNTIF(m.map < 65), COUNT(*)), 2) AS low_percent
FROM stays s JOIN map m ON m.stay_id = s.stay_id
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
),
worst AS (
  SELECT s.stay_id, MIN(IF(c.itemid = 220277, c.valuenum, NULL)) AS min_spo2, MAX(IF(c.itemid = 220045, c.valuenum, NULL)) AS max_hr,
    MAX(IF(c.itemid = 220210, c.valuenum, NULL)) AS max_rr
  FROM stays s LEFT JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id AND c.itemid IN (220277, 220045, 220210)
  GROUP BY s.stay_id
)
SELECT COUNT(*) AS stays, COUNTIF(min_spo2 < 90) AS hypoxic, COUNTIF(max_hr > 120) AS tachycardic,
  ROUND(CORR(max_hr, max_rr), 3) AS hr_rr_correlation,
  APPROX_QUANTILES(max_hr, 4)[OFFSET(3)] AS q3_max_hr FROM worst
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
),
worst AS (
  SELECT s.stay_id, MIN(IF(c.itemid = 220277, c.valuenum, NULL)) AS min_spo2, MAX(IF(c.itemid = 220045, c.valuenum, NULL)) AS max_hr,
    MAX(IF(c.itemid = 220210, c.valuenum, NULL)) AS max_rr
  FROM stays s LEFT JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id AND c.itemid IN (220277, 220045, 220210)
  GROUP BY s.stay_id
)
SELECT COUNT(*) AS stays, COUNTIF(min_spo2 < 90) AS hypoxic, COUNTIF(max_hr > 120) AS tachycardic,
  ROUND(CORR(max_hr, max_rr), 3) AS hr_rr_correlation,
  APPROX_QUANTILES(max_hr, 4)[OFFSET(3)] AS q3_max_hr FROM worst
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 70 AND 80
),
worst AS (
  SELECT s.stay_id, MIN(IF(c.itemid = 220277, c.valuenum, NULL)) AS min_spo2, MAX(IF(c.itemid = 220045, c.valuenum, NULL)) AS max_hr,
    MAX(IF(c.itemid = 220210, c.valuenum, NULL)) AS max_rr
  FROM stays s LEFT JOIN `physionet-data.mimiciv_icu.chartevents` c ON c.stay_id = s.stay_id AND c.itemid IN (220277, 220045, 220210)
  GROUP BY s.stay_id
)
SELECT COUNT(*) AS stays, COUNTIF(min_spo2 < 90) AS hypoxic, COUNTIF(max_hr > 120) AS tachycardic,
  ROUND(CORR(max_hr, max_rr), 3) AS hr_rr_correlation,
  APPROX_QUANTILES(max_hr, 4)[OFFSET(3)] AS q3_max_hr FROM worst
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
),
first_value AS (
  SELECT s.stay_id, FIRST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_v,
    LAST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_v
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220277
), per_stay AS (SELECT DISTINCT stay_id, first_v, last_v FROM first_value)
SELECT COUNT(*) AS stays, ROUND(AVG(last_v - first_v), 2) AS mean_change FROM per_stay
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
),
first_value AS (
  SELECT s.stay_id, FIRST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_v,
    LAST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_v
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220045
), per_stay AS (SELECT DISTINCT stay_id, first_v, last_v FROM first_value)
SELECT COUNT(*) AS stays, ROUND(AVG(last_v - first_v), 2) AS mean_change FROM per_stay
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 20 AND 95
),
first_value AS (
  SELECT s.stay_id, FIRST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS first_v,
    LAST_VALUE(c.valuenum IGNORE NULLS) OVER (PARTITION BY s.stay_id ORDER BY c.charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS last_v
  FROM stays s JOIN `physionet-data.mimiciv_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220181
), per_stay AS (SELECT DISTINCT stay_id, first_v, last_v FROM first_value)
SELECT COUNT(*) AS stays, ROUND(AVG(last_v - first_v), 2) AS mean_change FROM per_stay
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75
),
by_day AS (
  SELECT DATE_DIFF(DATE(c.charttime), DATE(s.intime), DAY) + 1 AS day, c.valuenum
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220052
)
SELECT day, COUNT(*) AS readings, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 2) AS median_value, ROUND(STDDEV(valuenum), 2) AS sd_value,
  SUM(COUNT(*)) OVER (ORDER BY day) AS running
FROM by_day WHERE day BETWEEN 1 AND 3 GROUP BY day ORDER BY day
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
),
by_day AS (
  SELECT DATE_DIFF(DATE(c.charttime), DATE(s.intime), DAY) + 1 AS day, c.valuenum
  FROM stays s JOIN `physionet-data.mimiciv_3_1_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220277
)
SELECT day, COUNT(*) AS readings, ROUND(AVG(valuenum), 2) AS mean_value, ROUND(STDDEV(valuenum), 2) AS sd_value,
  SUM(COUNT(*)) OVER (ORDER BY day) AS running
FROM by_day WHERE day BETWEEN 1 AND 3 GROUP BY day ORDER BY day
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 45 AND 55
),
by_day AS (
  SELECT DATE_DIFF(DATE(c.charttime), DATE(s.intime), DAY) + 1 AS day, c.valuenum
  FROM stays s JOIN `physionet-data.mimiciv_icu.chartevents` c ON c.stay_id = s.stay_id WHERE c.itemid = 220045
)
SELECT day, COUNT(*) AS readings, ROUND(APPROX_QUANTILES(valuenum, 100)[OFFSET(50)], 2) AS median_value, ROUND(STDDEV(valuenum), 2) AS sd_value,
  SUM(COUNT(*)) OVER (ORDER BY day) AS running
FROM by_day WHERE day BETWEEN 1 AND 3 GROUP BY day ORDER BY day
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 60 AND 70
),
temperature AS (
  SELECT s.stay_id, CASE WHEN c.itemid = 223761 THEN (c.valuenum - 32) * 5 / 9 ELSE c.valuenum END AS celsius
  FROM stays AS s INNER JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS c ON s.stay_id = c.stay_id WHERE c.itemid IN (223761, 223762)
)
SELECT 'fever' AS sign, COUNT(DISTINCT stay_id) AS stays FROM temperature WHERE celsius >= 38
UNION ALL SELECT 'cold', COUNT(DISTINCT stay_id) FROM temperature WHERE celsius < 36
ORDER BY sign
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_3_1_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_3_1_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'M' AND p.anchor_age BETWEEN 55 AND 75
),
temperature AS (
  SELECT s.stay_id, CASE WHEN c.itemid = 223761 THEN (c.valuenum - 32) * 5 / 9 ELSE c.valuenum END AS celsius
  FROM stays AS s INNER JOIN `physionet-data.mimiciv_3_1_icu.chartevents` AS c ON s.stay_id = c.stay_id WHERE c.itemid IN (223761, 223762)
)
SELECT 'fever' AS sign, COUNT(DISTINCT stay_id) AS stays FROM temperature WHERE celsius >= 38
UNION ALL SELECT 'cold', COUNT(DISTINCT stay_id) FROM temperature WHERE celsius < 36
ORDER BY sign
;;
WITH stays AS (
  SELECT p.subject_id, i.hadm_id, i.stay_id, i.intime, i.outtime, i.los
  FROM `physionet-data.mimiciv_hosp.patients` p
  INNER JOIN `physionet-data.mimiciv_icu.icustays` i ON p.subject_id = i.subject_id
  WHERE p.gender = 'F' AND p.anchor_age BETWEEN 50 AND 85
),
temperature AS (
  SELECT s.stay_id, CASE WHEN c.itemid = 223761 THEN (c.valuenum - 32) * 5 / 9 ELSE c.valuenum END AS celsius
  FROM stays AS s INNER JOIN `physionet-data.mimiciv_icu.chartevents` AS c ON s.stay_id = c.stay_id WHERE c.itemid IN (223761, 223762)
)
SELECT 'fever' AS sign, COUNT(DISTINCT stay_id) AS stays FROM temperature WHERE celsius >= 38
UNION ALL SELECT 'cold', COUNT(DISTINCT stay_id) FROM temperature WHERE celsius < 36
ORDER BY sign
