-- count of patients | operators#comparison_operators
SELECT COUNT(DISTINCT subject_id) AS n FROM `physionet-data.mimiciv_3_1_hosp.patients` WHERE gender = 'M' AND anchor_age BETWEEN 40 AND 50
-- backticks on parts | lexical#quoted_identifiers
SELECT COUNT(*) AS n FROM `physionet-data`.`mimiciv_3_1_hosp`.`admissions` a WHERE a.`insurance` = "Medicare"
-- dataset without version | lexical#table_names
SELECT COUNT(*) AS n FROM `physionet-data.mimiciv_hosp.patients` JOIN mimiciv_icu.icustays USING (subject_id)
-- three conditions of a join | query-syntax#join_types
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = a.subject_id JOIN mimiciv_3_1_hosp.diagnoses_icd d ON a.hadm_id = d.hadm_id AND a.subject_id = d.subject_id WHERE d.icd_code LIKE '428%' AND d.icd_version = 9
-- age at admission | date_functions#extract
SELECT AVG(p.anchor_age + EXTRACT(YEAR FROM a.admittime) - p.anchor_year) AS age FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = a.subject_id
-- DATETIME_DIFF in days | datetime_functions#datetime_diff
SELECT ROUND(AVG(DATETIME_DIFF(dischtime, admittime, DAY)), 2) AS los FROM mimiciv_3_1_hosp.admissions WHERE dischtime IS NOT NULL
-- DATETIME_DIFF in hours divided | operators#arithmetic_operators
SELECT MAX(DATETIME_DIFF(outtime, intime, HOUR) / 24) AS days FROM mimiciv_3_1_icu.icustays
-- DATETIME_DIFF of a literal | conversion_rules#literal_coercion
SELECT DATETIME_DIFF(admittime, '2150-01-01', DAY) AS d FROM mimiciv_3_1_hosp.admissions LIMIT 1
-- DATE_DIFF of DATE and CAST | date_functions#date_diff
SELECT DATE_DIFF(p.dod, CAST(a.dischtime AS DATE), DAY) AS d FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a USING (subject_id)
-- DATE_DIFF of DATETIMEs | date_functions#date_diff
SELECT DATE_DIFF(a.dischtime, a.admittime, DAY) AS d FROM mimiciv_3_1_hosp.admissions a
-- TIMESTAMP_DIFF of TIMESTAMPs | timestamp_functions#timestamp_diff
SELECT TIMESTAMP_DIFF(TIMESTAMP(outtime), TIMESTAMP(intime), MINUTE) AS m FROM mimiciv_3_1_icu.icustays
-- TIMESTAMP_DIFF of DATETIMEs | timestamp_functions#timestamp_diff
SELECT TIMESTAMP_DIFF(dischtime, admittime, HOUR) AS h FROM mimiciv_3_1_hosp.admissions
-- DATETIME_ADD and comparison | datetime_functions#datetime_add
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents l JOIN mimiciv_3_1_hosp.admissions a USING (hadm_id) WHERE l.charttime BETWEEN a.admittime AND DATETIME_ADD(a.admittime, INTERVAL 24 HOUR)
-- DATETIME_SUB by a column | datetime_functions#datetime_sub
SELECT DATETIME_SUB(a.dischtime, INTERVAL p.anchor_age DAY) AS d FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_hosp.patients p USING (subject_id)
-- TIMESTAMP_ADD of a DATETIME | timestamp_functions#timestamp_add
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE a.dischtime > TIMESTAMP_ADD(a.admittime, INTERVAL 48 HOUR)
-- DATETIME plus INTERVAL | operators#interval_arithmetic_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE outtime > intime + INTERVAL 48 HOUR
-- INTERVAL of text with a part | lexical#interval_literals
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE outtime > intime + INTERVAL '2 3' DAY TO HOUR
-- DATE plus INT64 | operators#date_arithmetics_operators
SELECT dod + 30 AS later FROM mimiciv_3_1_hosp.patients WHERE dod IS NOT NULL
-- quantiles by offset | approximate_aggregate_functions#approx_quantiles
SELECT APPROX_QUANTILES(los, 100)[OFFSET(50)] AS median FROM mimiciv_3_1_icu.icustays
-- quantiles without NULLs | approximate_aggregate_functions#approx_quantiles
SELECT APPROX_QUANTILES(valuenum, 4 IGNORE NULLS)[SAFE_OFFSET(1)] AS q1 FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50912
-- quantiles of distinct values | approximate_aggregate_functions#approx_quantiles
SELECT APPROX_QUANTILES(DISTINCT anchor_age, 2)[ORDINAL(2)] AS m FROM mimiciv_3_1_hosp.patients
-- difference of quantiles | array_functions
SELECT APPROX_QUANTILES(v, 4)[OFFSET(3)] - APPROX_QUANTILES(v, 4)[OFFSET(1)] AS iqr FROM (SELECT valuenum AS v FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50971)
-- an array of quantiles in a CTE | array_functions
WITH q AS (SELECT APPROX_QUANTILES(los, 4) AS a FROM mimiciv_3_1_icu.icustays) SELECT a[OFFSET(1)] AS q1, a[OFFSET(2)] AS q2 FROM q
-- quantiles of DATETIME_DIFF by group | approximate_aggregate_functions#approx_quantiles
SELECT admission_type, APPROX_QUANTILES(DATETIME_DIFF(dischtime, admittime, DAY), 100)[OFFSET(90)] AS p90 FROM mimiciv_3_1_hosp.admissions GROUP BY admission_type
-- COUNTIF | aggregate_functions#countif
SELECT COUNTIF(hospital_expire_flag = 1) AS died, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions
-- SAFE_DIVIDE | mathematical_functions#safe_divide
SELECT SAFE_DIVIDE(SUM(hospital_expire_flag), COUNT(hadm_id)) AS rate FROM mimiciv_3_1_hosp.admissions
-- SAFE. prefix | functions-reference#safe_prefix
SELECT SAFE.LN(valuenum) AS v FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50971 LIMIT 5
-- IF with NULL | conditional_expressions#if
SELECT AVG(IF(gender = 'F', anchor_age, NULL)) AS f FROM mimiciv_3_1_hosp.patients
-- IFNULL of text | conditional_expressions#ifnull
SELECT IFNULL(marital_status, 'UNKNOWN') AS m, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY m
-- NULLIF and COALESCE of numbers | conditional_expressions#coalesce
SELECT COALESCE(NULLIF(valuenum, 0), 1) AS v FROM mimiciv_3_1_hosp.labevents LIMIT 1
-- COALESCE of INT64 and FLOAT64 | conversion_rules#supertypes
SELECT COALESCE(los, 0) AS los FROM mimiciv_3_1_icu.icustays
-- STARTS_WITH | string_functions#starts_with
SELECT COUNT(DISTINCT hadm_id) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE STARTS_WITH(icd_code, 'E11') AND icd_version = 10
-- SUBSTR and IN | string_functions#substr
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE SUBSTR(icd_code, 1, 3) IN ('I60', 'I61', 'I62')
-- LIKE ANY | operators#like_operator_quantified
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_code LIKE ANY ('I60%', 'I61%')
-- REGEXP_CONTAINS | string_functions#regexp_contains
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.prescriptions WHERE REGEXP_CONTAINS(LOWER(drug), r'statin$')
-- REGEXP_EXTRACT | string_functions#regexp_extract
SELECT REGEXP_EXTRACT(dose_val_rx, r'[0-9]+') AS dose FROM mimiciv_3_1_hosp.prescriptions LIMIT 5
-- REPLACE, TRIM, UPPER and LENGTH | string_functions
SELECT LENGTH(TRIM(REPLACE(UPPER(drug), ' ', ''))) AS n FROM mimiciv_3_1_hosp.prescriptions LIMIT 5
-- SPLIT | string_functions#split
SELECT SPLIT(drug, ' ')[SAFE_OFFSET(0)] AS word FROM mimiciv_3_1_hosp.prescriptions LIMIT 5
-- concatenation | operators#concatenation_operator
SELECT insurance || '-' || race AS g, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY g
-- CONCAT of a number | string_functions#concat
SELECT CONCAT('Q', anchor_age) AS label FROM mimiciv_3_1_hosp.patients LIMIT 1
-- CAST to STRING | conversion_functions#cast
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE CAST(icd_version AS STRING) = '10'
-- CAST to INT64 by its other names | data-types#integer_type
SELECT CAST(los AS INT64) AS a, CAST(los AS INTEGER) AS b, CAST(los AS BIGINT) AS c FROM mimiciv_3_1_icu.icustays
-- CAST to NUMERIC | data-types#decimal_types
SELECT ROUND(CAST(valuenum AS NUMERIC), 2) AS v FROM mimiciv_3_1_hosp.labevents LIMIT 1
-- SAFE_CAST | conversion_functions#safe_casting
SELECT SUM(SAFE_CAST(dose_val_rx AS FLOAT64)) AS dose FROM mimiciv_3_1_hosp.prescriptions
-- CAST of a BOOL | conversion_functions#cast
SELECT SUM(CAST(anchor_age > 65 AS INT64)) AS old FROM mimiciv_3_1_hosp.patients
-- DATE of a DATETIME | date_functions#date
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_hosp.patients p USING (subject_id) WHERE p.dod <= DATE_ADD(DATE(a.dischtime), INTERVAL 30 DAY)
-- DATETIME of a DATE | datetime_functions#datetime
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_hosp.patients p USING (subject_id) WHERE DATETIME(p.dod) > a.dischtime
-- DATE coerces to DATETIME | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_hosp.patients p USING (subject_id) WHERE p.dod >= a.dischtime
-- literal as DATE | conversion_rules#literal_coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE dod > '2150-01-01'
-- literal as DATETIME in BETWEEN | conversion_rules#literal_coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE admittime BETWEEN '2150-01-01' AND '2160-01-01'
-- DATETIME literal | lexical#datetime_literals
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE admittime > DATETIME '2150-01-01 00:00:00'
-- TIMESTAMP of a TIMESTAMP | timestamp_functions#timestamp
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE TIMESTAMP(admittime) > TIMESTAMP('2150-01-01')
-- CURRENT_DATE | date_functions#current_date
SELECT COUNTIF(dod < CURRENT_DATE()) AS n FROM mimiciv_3_1_hosp.patients
-- DATE_TRUNC of a DATE | date_functions#date_trunc
SELECT DATE_TRUNC(dod, MONTH) AS m, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY m
-- DATETIME_TRUNC | datetime_functions#datetime_trunc
SELECT DATETIME_TRUNC(charttime, HOUR) AS h, AVG(valuenum) AS v FROM mimiciv_3_1_icu.chartevents GROUP BY h
-- FORMAT_DATETIME | datetime_functions#format_datetime
SELECT FORMAT_DATETIME('%Y', admittime) AS y, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY y
-- EXTRACT of parts | datetime_functions#extract
SELECT EXTRACT(HOUR FROM admittime) AS h, EXTRACT(DAYOFWEEK FROM admittime) AS d, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY h, d
-- EXTRACT DATE | datetime_functions#extract
SELECT EXTRACT(DATE FROM admittime) AS d FROM mimiciv_3_1_hosp.admissions LIMIT 1
-- ROW_NUMBER in a CTE | numbering_functions#row_number
WITH f AS (SELECT stay_id, hadm_id, ROW_NUMBER() OVER (PARTITION BY hadm_id ORDER BY intime) AS rn FROM mimiciv_3_1_icu.icustays) SELECT COUNT(*) AS n FROM f WHERE rn = 1
-- LAG and difference | navigation_functions#lag
SELECT subject_id, DATETIME_DIFF(admittime, LAG(dischtime) OVER (PARTITION BY subject_id ORDER BY admittime), DAY) AS gap FROM mimiciv_3_1_hosp.admissions
-- LAG with offset and default | navigation_functions#lag
SELECT LAG(anchor_age, 2, 0) OVER (ORDER BY subject_id) AS a FROM mimiciv_3_1_hosp.patients
-- LAST_VALUE over a whole frame | navigation_functions#last_value
SELECT DISTINCT hadm_id, LAST_VALUE(valuenum) OVER (PARTITION BY hadm_id ORDER BY charttime ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS v FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50983
-- NTILE | numbering_functions#ntile
WITH q AS (SELECT hadm_id, NTILE(5) OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, HOUR) DESC) AS quintile FROM mimiciv_3_1_hosp.admissions) SELECT quintile, COUNT(*) AS n FROM q GROUP BY quintile
-- PERCENT_RANK and CUME_DIST | numbering_functions
SELECT PERCENT_RANK() OVER (ORDER BY los) AS p, CUME_DIST() OVER (ORDER BY los) AS c FROM mimiciv_3_1_icu.icustays
-- DENSE_RANK over an aggregate | window-function-calls
SELECT first_careunit, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM mimiciv_3_1_icu.icustays GROUP BY first_careunit
-- PERCENTILE_CONT over a partition | navigation_functions#percentile_cont
SELECT DISTINCT first_careunit, PERCENTILE_CONT(los, 0.9) OVER (PARTITION BY first_careunit) AS p90 FROM mimiciv_3_1_icu.icustays
-- PERCENTILE_DISC over everything | navigation_functions#percentile_disc
SELECT PERCENTILE_DISC(anchor_age, 0.5) OVER () AS m FROM mimiciv_3_1_hosp.patients LIMIT 1
-- window over a group's aggregate | window-function-calls
SELECT insurance, COUNT(*) AS n, COUNT(*) / SUM(COUNT(*)) OVER () AS share FROM mimiciv_3_1_hosp.admissions GROUP BY insurance
-- running sum | window-function-calls#def_window_frame
SELECT hadm_id, SUM(hospital_expire_flag) OVER (ORDER BY admittime ROWS UNBOUNDED PRECEDING) AS died FROM mimiciv_3_1_hosp.admissions
-- range frame on numbers | window-function-calls#def_window_frame
SELECT AVG(los) OVER (ORDER BY stay_id RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING) AS m FROM mimiciv_3_1_icu.icustays
-- COUNT DISTINCT over a partition | window-function-calls
SELECT DISTINCT subject_id, COUNT(DISTINCT hadm_id) OVER (PARTITION BY subject_id) AS n FROM mimiciv_3_1_hosp.admissions
-- QUALIFY with a window | query-syntax#qualify_clause
SELECT subject_id, hadm_id FROM mimiciv_3_1_hosp.admissions WHERE TRUE QUALIFY RANK() OVER (PARTITION BY subject_id ORDER BY admittime) = 1
-- QUALIFY by alias | query-syntax#qualify_clause
SELECT subject_id, ROW_NUMBER() OVER (PARTITION BY subject_id ORDER BY admittime) AS rn FROM mimiciv_3_1_hosp.admissions QUALIFY rn = 1
-- named window | query-syntax#window_clause
SELECT AVG(valuenum) OVER w AS m FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50912 WINDOW w AS (PARTITION BY subject_id)
-- chain of CTEs | query-syntax#with_clause
WITH a AS (SELECT subject_id FROM mimiciv_3_1_hosp.patients WHERE gender = 'F'), b AS (SELECT a.subject_id, x.hadm_id FROM a JOIN mimiciv_3_1_hosp.admissions x USING (subject_id)), c AS (SELECT b.hadm_id, MAX(i.los) AS los FROM b LEFT JOIN mimiciv_3_1_icu.icustays i ON i.hadm_id = b.hadm_id GROUP BY b.hadm_id) SELECT COUNTIF(los IS NULL) AS ward, AVG(los) AS los FROM c
-- a CTE named as a table | query-syntax#with_clause
WITH patients AS (SELECT * FROM mimiciv_3_1_hosp.patients WHERE anchor_age > 60) SELECT COUNT(*) AS n FROM patients
-- recursive CTE | query-syntax#recursive_cte
WITH RECURSIVE days AS (SELECT 1 AS d UNION ALL SELECT d + 1 FROM days WHERE d < 5) SELECT COUNT(*) AS n FROM days
-- GROUP BY positions | query-syntax#group_by_clause
SELECT gender, anchor_year_group, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY 1, 2 ORDER BY 3 DESC
-- GROUP BY an alias | query-syntax#group_by_clause
SELECT CASE WHEN anchor_age < 65 THEN 'young' ELSE 'old' END AS age_group, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY age_group
-- GROUP BY an expression | query-syntax#group_by_clause
SELECT EXTRACT(YEAR FROM admittime) AS y, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY EXTRACT(YEAR FROM admittime)
-- expression of grouped columns | query-syntax#group_by_clause
SELECT CONCAT(gender, '!') AS g, AVG(anchor_age) + 1 AS a FROM mimiciv_3_1_hosp.patients GROUP BY gender
-- GROUP BY a qualified column selected bare | query-syntax#group_by_clause
SELECT hadm_id, COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd d GROUP BY d.hadm_id
-- GROUP BY ALL | query-syntax#group_by_all
SELECT insurance, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY ALL
-- ROLLUP | query-syntax#group_by_rollup
SELECT insurance, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY ROLLUP (insurance)
-- HAVING with an aggregate | query-syntax#having_clause
SELECT subject_id FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id HAVING COUNT(*) >= 2 AND MAX(hospital_expire_flag) = 0
-- HAVING without GROUP BY | query-syntax#having_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions HAVING COUNT(*) > 0
-- ORDER BY an aggregate | query-syntax#order_by_clause
SELECT drug FROM mimiciv_3_1_hosp.prescriptions GROUP BY drug ORDER BY COUNT(*) DESC LIMIT 3
-- ORDER BY a column that is not selected | query-syntax#order_by_clause
SELECT subject_id FROM mimiciv_3_1_hosp.patients ORDER BY anchor_age DESC NULLS LAST LIMIT 3
-- constant beside an aggregate | query-syntax#group_by_clause
SELECT 'all' AS label, COUNT(*) AS n, 1 + 1 AS two FROM mimiciv_3_1_hosp.patients
-- CASE of aggregates | conditional_expressions#case_expr
SELECT CASE WHEN COUNT(*) = 0 THEN NULL ELSE SUM(anchor_age) / COUNT(*) END AS mean_age FROM mimiciv_3_1_hosp.patients
-- UNION ALL | query-syntax#union
SELECT 'icu' AS place, COUNT(*) AS n FROM mimiciv_3_1_icu.icustays UNION ALL SELECT 'ward' AS place, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions
-- UNION ALL of INT64 and FLOAT64 | conversion_rules#supertypes
SELECT 1 AS k, los AS v FROM mimiciv_3_1_icu.icustays UNION ALL SELECT 2, anchor_age FROM mimiciv_3_1_hosp.patients
-- UNION DISTINCT in a CTE | query-syntax#union
WITH u AS (SELECT hadm_id FROM mimiciv_3_1_hosp.procedures_icd WHERE icd_code = '9671' UNION DISTINCT SELECT hadm_id FROM mimiciv_3_1_icu.procedureevents WHERE itemid = 225792) SELECT COUNT(*) AS n FROM u
-- EXCEPT DISTINCT | query-syntax#except
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions EXCEPT DISTINCT SELECT hadm_id FROM mimiciv_3_1_icu.icustays
-- INTERSECT DISTINCT | query-syntax#intersect
SELECT subject_id FROM mimiciv_3_1_hosp.admissions INTERSECT DISTINCT SELECT subject_id FROM mimiciv_3_1_icu.icustays
-- IN a subquery | subqueries#in_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hadm_id IN (SELECT hadm_id FROM mimiciv_3_1_icu.icustays)
-- NOT IN a subquery | subqueries#in_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hadm_id NOT IN (SELECT hadm_id FROM mimiciv_3_1_icu.icustays WHERE hadm_id IS NOT NULL)
-- NOT EXISTS | subqueries#exists_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE NOT EXISTS (SELECT 1 FROM mimiciv_3_1_icu.icustays i WHERE i.hadm_id = a.hadm_id)
-- scalar subquery beside an aggregate | subqueries#scalar_subquery_concepts
SELECT COUNT(*) / (SELECT COUNT(*) FROM mimiciv_3_1_hosp.patients) AS share FROM mimiciv_3_1_hosp.patients WHERE gender = 'F'
-- correlated scalar subquery | subqueries#correlated_subquery_concepts
SELECT p.subject_id, (SELECT COUNT(*) FROM mimiciv_3_1_hosp.admissions a WHERE a.subject_id = p.subject_id) AS n FROM mimiciv_3_1_hosp.patients p
-- subquery in an aggregate's condition | subqueries
SELECT COUNTIF(hadm_id IN (SELECT hadm_id FROM mimiciv_3_1_icu.icustays)) AS n FROM mimiciv_3_1_hosp.admissions
-- subquery in HAVING | subqueries
SELECT insurance FROM mimiciv_3_1_hosp.admissions GROUP BY insurance HAVING COUNT(*) > (SELECT AVG(los) FROM mimiciv_3_1_icu.icustays)
-- tuple IN | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE (icd_code, icd_version) IN (('4280', 9), ('I509', 10))
-- tuple IN a subquery of a struct | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE (icd_code, icd_version) IN (SELECT (icd_code, icd_version) FROM mimiciv_3_1_hosp.d_icd_diagnoses)
-- IN UNNEST of an array | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.chartevents WHERE itemid IN UNNEST([220045, 220050])
-- UNNEST of texts | query-syntax#unnest_operator
SELECT code FROM UNNEST(['I21', 'I22']) AS code
-- UNNEST with offset | query-syntax#unnest_operator
SELECT x, nr FROM UNNEST([10, 20]) AS x WITH OFFSET AS nr ORDER BY nr
-- UNNEST of structs | query-syntax#unnest_and_structs
SELECT m.label, AVG(c.valuenum) AS v FROM mimiciv_3_1_icu.chartevents c JOIN UNNEST([STRUCT(220045 AS id, 'hr' AS label), STRUCT(220210, 'rr')]) m ON m.id = c.itemid GROUP BY m.label
-- joins on prefixes | query-syntax#on_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd d JOIN UNNEST(['I21', '410']) AS prefix ON STARTS_WITH(d.icd_code, prefix)
-- correlated UNNEST of a column | query-syntax#unnest_operator
WITH g AS (SELECT subject_id, ARRAY_AGG(hadm_id) AS stays FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id) SELECT g.subject_id, h FROM g, UNNEST(g.stays) AS h
-- GENERATE_ARRAY | array_functions#generate_array
SELECT day, COUNT(*) AS n FROM mimiciv_3_1_icu.icustays CROSS JOIN UNNEST(GENERATE_ARRAY(0, 3)) AS day WHERE los > day GROUP BY day
-- STRUCT fields | data-types#struct_type
SELECT s.a + 1 AS b FROM (SELECT STRUCT(anchor_age AS a, gender AS g) AS s FROM mimiciv_3_1_hosp.patients)
-- latest value by ARRAY_AGG of a STRUCT | aggregate_functions#array_agg
SELECT hadm_id, ARRAY_AGG(STRUCT(valuenum, charttime) ORDER BY charttime DESC LIMIT 1)[OFFSET(0)].valuenum AS v FROM mimiciv_3_1_hosp.labevents GROUP BY hadm_id
-- STRING_AGG | aggregate_functions#string_agg
SELECT hadm_id, STRING_AGG(DISTINCT icd_code, ', ' ORDER BY icd_code) AS codes FROM mimiciv_3_1_hosp.diagnoses_icd GROUP BY hadm_id
-- ANY_VALUE and MAX HAVING | aggregate_functions#any_value
SELECT subject_id, ANY_VALUE(insurance) AS i, ANY_VALUE(race HAVING MAX admittime) AS r FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id
-- LOGICAL_OR and LOGICAL_AND | aggregate_functions#logical_or
SELECT hadm_id, LOGICAL_OR(icd_code LIKE 'I50%') AS hf, LOGICAL_AND(icd_version = 10) AS ten FROM mimiciv_3_1_hosp.diagnoses_icd GROUP BY hadm_id
-- deviation and correlation | statistical_aggregate_functions
SELECT STDDEV(los) AS a, STDDEV_POP(los) AS b, VARIANCE(los) AS c, CORR(los, stay_id) AS d FROM mimiciv_3_1_icu.icustays
-- mathematics | mathematical_functions
SELECT SQRT(valuenum) + POW(valuenum, 2) - ABS(valuenum) + CEIL(valuenum) + FLOOR(valuenum) + MOD(itemid, 2) + LN(valuenum + 1) + EXP(0) AS v FROM mimiciv_3_1_hosp.labevents WHERE valuenum > 0 LIMIT 1
-- GREATEST of numbers | mathematical_functions#greatest
SELECT GREATEST(anchor_age, 18.5, 0) AS g FROM mimiciv_3_1_hosp.patients LIMIT 1
-- numbers compared across types | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays i JOIN mimiciv_3_1_hosp.patients p USING (subject_id) WHERE i.los > p.anchor_age / 10 AND i.los = 3
-- INT64 division and DIV | mathematical_functions#div
SELECT DIV(anchor_age, 10) AS decade, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY decade
-- BOOL conditions | operators#logical_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE (gender = 'F') = TRUE AND NOT dod IS NULL AND (anchor_age > 50 OR FALSE)
-- IS DISTINCT FROM | operators#is_distinct
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE discharge_location IS DISTINCT FROM 'DIED'
-- USING a key and reading it bare | query-syntax#using_clause
SELECT hadm_id, subject_id FROM mimiciv_3_1_hosp.admissions JOIN mimiciv_3_1_icu.icustays USING (hadm_id, subject_id) LIMIT 5
-- FULL OUTER JOIN | query-syntax#full_join
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a FULL OUTER JOIN mimiciv_3_1_icu.icustays i ON a.hadm_id = i.hadm_id
-- LEFT JOIN with a time window | query-syntax#left_join
SELECT a.hadm_id, MIN(l.valuenum) AS low FROM mimiciv_3_1_hosp.admissions a LEFT JOIN mimiciv_3_1_hosp.labevents l ON l.hadm_id = a.hadm_id AND l.itemid = 50912 AND l.charttime < DATETIME_ADD(a.admittime, INTERVAL 1 DAY) GROUP BY a.hadm_id
-- comma join | query-syntax#comma_cross_join
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p, mimiciv_3_1_hosp.admissions a WHERE p.subject_id = a.subject_id
-- JOIN of a CTE and a subquery | query-syntax#join_types
WITH c AS (SELECT hadm_id FROM mimiciv_3_1_hosp.admissions) SELECT AVG(s.n) AS m FROM c JOIN (SELECT hadm_id, COUNT(*) AS n FROM mimiciv_3_1_hosp.prescriptions GROUP BY hadm_id) AS s ON c.hadm_id = s.hadm_id
-- table name as a prefix | query-syntax#implicit_aliases
SELECT patients.gender, admissions.insurance FROM mimiciv_3_1_hosp.patients JOIN mimiciv_3_1_hosp.admissions ON patients.subject_id = admissions.subject_id LIMIT 1
-- star of one table | query-syntax#select_expression_star
SELECT p.*, a.hadm_id FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a USING (subject_id) LIMIT 1
-- SELECT * REPLACE | query-syntax#select_replace
SELECT * REPLACE (UPPER(gender) AS gender) FROM mimiciv_3_1_hosp.patients LIMIT 1
-- DISTINCT of several columns | query-syntax#select_distinct
SELECT DISTINCT gender, anchor_year_group FROM mimiciv_3_1_hosp.patients
-- Charlson view | lexical#table_names
SELECT AVG(charlson_comorbidity_index) AS cci FROM `physionet-data.mimiciv_3_1_derived.charlson`
-- DECLARE and SET | procedural-language#declare
DECLARE low INT64 DEFAULT 40; DECLARE high INT64; SET high = low + 10; SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE anchor_age BETWEEN low AND high
-- an empty query of constants | query-syntax#select_list
SELECT 1 AS one, 'a' AS letter, NULL AS nothing, [1, 2] AS numbers
-- inner name shadows an outer | query-syntax#visibility
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE a.subject_id IN (SELECT subject_id FROM mimiciv_3_1_hosp.patients WHERE gender = 'F')
-- alias of a window in an outer query | query-syntax#visibility
SELECT q, MIN(anchor_age) AS low FROM (SELECT anchor_age, NTILE(4) OVER (ORDER BY anchor_age) AS q FROM mimiciv_3_1_hosp.patients) GROUP BY q
-- score of conditions | conditional_expressions#if
SELECT hadm_id, IF(MAX(valuenum) > 2, 1, 0) + IF(MIN(valuenum) < 0.5, 1, 0) AS score FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50912 GROUP BY hadm_id
-- a column called map | lexical#identifiers
WITH m AS (SELECT valuenum AS map FROM mimiciv_3_1_icu.chartevents WHERE itemid = 220052) SELECT COUNTIF(map < 65) AS low FROM m
-- MIN and MAX of DATETIME | aggregate_functions#max
SELECT subject_id, DATETIME_DIFF(MAX(dischtime), MIN(admittime), DAY) AS span FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id
-- ROUND of a share | mathematical_functions#round
SELECT ROUND(100.0 * SUM(CASE WHEN hospital_expire_flag = 1 THEN 1 ELSE 0 END) / NULLIF(COUNT(*), 0), 2) AS pct FROM mimiciv_3_1_hosp.admissions
-- GROUP BY a date part of an alias | query-syntax#group_by_clause
SELECT DATE(charttime) AS day, AVG(valuenum) AS v FROM mimiciv_3_1_icu.chartevents GROUP BY day ORDER BY day
-- MAX_BY | aggregate_functions#max_by
SELECT subject_id, MAX_BY(insurance, admittime) AS latest FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id
-- QUALIFY on a grouped query | query-syntax#qualify_clause
SELECT insurance, race, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY insurance, race QUALIFY ROW_NUMBER() OVER (PARTITION BY insurance ORDER BY COUNT(*) DESC) = 1
-- aggregate of a window in a subquery | window-function-calls
SELECT AVG(gap) AS mean_gap FROM (SELECT DATETIME_DIFF(LEAD(charttime) OVER (PARTITION BY stay_id ORDER BY charttime), charttime, MINUTE) AS gap FROM mimiciv_3_1_icu.chartevents WHERE itemid = 220045)
-- text compared with a STRING column by CAST | conversion_functions#cast
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_hosp.patients p ON CAST(a.subject_id AS STRING) = CAST(p.subject_id AS STRING)
-- DATETIME difference by minus | operators#interval_arithmetic_operators
SELECT MAX(dischtime - admittime) AS stay FROM mimiciv_3_1_hosp.admissions
-- INTERVAL compared | data-types#interval_type
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE dischtime - admittime > INTERVAL 2 DAY
-- medians of two groups | approximate_aggregate_functions#approx_quantiles
SELECT p.gender, APPROX_QUANTILES(i.los, 2)[OFFSET(1)] AS median, COUNT(DISTINCT i.stay_id) AS stays FROM mimiciv_3_1_hosp.patients AS p INNER JOIN mimiciv_3_1_icu.icustays AS i ON p.subject_id = i.subject_id GROUP BY p.gender ORDER BY p.gender
-- share of deaths by quartile | numbering_functions#ntile
WITH b AS (SELECT a.hadm_id, a.hospital_expire_flag, DATETIME_DIFF(a.dischtime, a.admittime, HOUR) AS h FROM mimiciv_3_1_hosp.admissions a), q AS (SELECT *, NTILE(4) OVER (ORDER BY h) AS quartile FROM b) SELECT quartile, ROUND(AVG(CAST(hospital_expire_flag AS FLOAT64)) * 100, 2) AS pct FROM q GROUP BY quartile ORDER BY quartile
-- readmission within thirty days | navigation_functions#lead
WITH s AS (SELECT subject_id, hadm_id, dischtime, LEAD(admittime) OVER (PARTITION BY subject_id ORDER BY admittime) AS nxt FROM mimiciv_3_1_hosp.admissions WHERE hospital_expire_flag = 0) SELECT COUNTIF(DATE_DIFF(DATE(nxt), DATE(dischtime), DAY) <= 30) / COUNT(*) AS rate FROM s
-- instability score | conditional_expressions#case
WITH v AS (SELECT stay_id, MAX(IF(itemid = 220045, valuenum, NULL)) AS hr, MIN(IF(itemid IN (220050, 220179), valuenum, NULL)) AS sbp FROM mimiciv_3_1_icu.chartevents GROUP BY stay_id) SELECT stay_id, (CASE WHEN hr > 130 THEN 2 WHEN hr > 110 THEN 1 ELSE 0 END) + (CASE WHEN sbp < 90 THEN 2 ELSE 0 END) AS score FROM v ORDER BY score DESC, stay_id LIMIT 20
-- percentile rank of a value | numbering_functions#percent_rank
WITH d AS (SELECT hadm_id, COUNT(*) AS n FROM mimiciv_3_1_hosp.procedures_icd GROUP BY hadm_id), r AS (SELECT n, PERCENT_RANK() OVER (ORDER BY n) AS p FROM d) SELECT MAX(p) * 100 AS pct FROM r WHERE n <= 3
-- insulin within a window | datetime_functions#datetime_diff
SELECT COUNT(DISTINCT r.hadm_id) AS n FROM mimiciv_3_1_hosp.prescriptions r JOIN mimiciv_3_1_hosp.admissions a ON r.hadm_id = a.hadm_id WHERE (LOWER(r.drug) LIKE '%insulin%' OR LOWER(r.drug) LIKE '%humalog%') AND DATETIME_DIFF(r.starttime, a.admittime, HOUR) BETWEEN 0 AND 72
-- two steps joined to a third | query-syntax#join_types
WITH dm AS (SELECT DISTINCT hadm_id FROM mimiciv_3_1_hosp.diagnoses_icd WHERE (icd_version = 10 AND SUBSTR(icd_code, 1, 3) BETWEEN 'E08' AND 'E13') OR (icd_version = 9 AND icd_code LIKE '250%')), hf AS (SELECT DISTINCT hadm_id FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_code LIKE 'I50%' OR icd_code LIKE '428%') SELECT COUNT(*) AS n FROM dm INNER JOIN hf ON dm.hadm_id = hf.hadm_id
-- text joined to text | operators#comparison_operators
SELECT d.icd_code, t.long_title, COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd d JOIN mimiciv_3_1_hosp.d_icd_diagnoses t ON d.icd_code = t.icd_code AND d.icd_version = t.icd_version GROUP BY d.icd_code, t.long_title ORDER BY n DESC LIMIT 5
-- duration of a procedure | datetime_functions#datetime_diff
SELECT ROUND(AVG(DATETIME_DIFF(endtime, starttime, MINUTE) / 60.0), 2) AS hours FROM mimiciv_3_1_icu.procedureevents WHERE itemid = 225792 AND endtime > starttime
-- vasopressor use | operators#in_operators
SELECT COUNT(DISTINCT stay_id) AS n FROM mimiciv_3_1_icu.inputevents WHERE itemid IN (221906, 222315, 221289) AND amount > 0
-- counts by service | query-syntax#group_by_clause
SELECT s.curr_service, COUNT(DISTINCT s.hadm_id) AS n, AVG(p.anchor_age) AS age FROM mimiciv_3_1_hosp.services s JOIN mimiciv_3_1_hosp.patients p ON s.subject_id = p.subject_id GROUP BY s.curr_service HAVING n > 1
-- item names | string_functions#lower
SELECT i.label, MIN(c.valuenum) AS low, MAX(c.valuenum) AS high FROM mimiciv_3_1_icu.chartevents AS c JOIN mimiciv_3_1_icu.d_items AS i ON c.itemid = i.itemid WHERE LOWER(i.label) LIKE '%heart rate%' GROUP BY i.label
-- first stay by a window in a join | numbering_functions#row_number
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN (SELECT subject_id, stay_id, ROW_NUMBER() OVER (PARTITION BY subject_id ORDER BY intime) AS k FROM mimiciv_3_1_icu.icustays) f ON f.subject_id = p.subject_id AND f.k = 1
-- death within a year | date_functions#date_diff
SELECT COUNTIF(p.dod IS NOT NULL AND DATE_DIFF(p.dod, DATE(a.dischtime), DAY) BETWEEN 0 AND 365) AS died FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a USING (subject_id)
-- IQR by subtraction in an outer query | array_functions
SELECT q[OFFSET(75)] - q[OFFSET(25)] AS iqr FROM (SELECT APPROX_QUANTILES(valuenum, 100) AS q FROM mimiciv_3_1_hosp.labevents WHERE itemid = 51301)
-- variance between two values | mathematical_functions#abs
WITH x AS (SELECT hadm_id, valuenum - LAG(valuenum) OVER (PARTITION BY hadm_id ORDER BY charttime) AS delta FROM mimiciv_3_1_hosp.labevents WHERE itemid = 50912) SELECT MAX(ABS(delta)) AS jump FROM x WHERE delta IS NOT NULL
-- several aggregates with FILTER by IF | aggregate_functions#count
SELECT COUNT(IF(anchor_age >= 65, subject_id, NULL)) AS old, COUNT(DISTINCT CASE WHEN gender = 'F' THEN subject_id END) AS women FROM mimiciv_3_1_hosp.patients
-- ordering by position and direction | query-syntax#order_by_clause
SELECT race, AVG(DATETIME_DIFF(dischtime, admittime, HOUR)) AS h FROM mimiciv_3_1_hosp.admissions GROUP BY race ORDER BY 2 DESC NULLS LAST, 1 LIMIT 10 OFFSET 2
-- UNION of steps with a label | query-syntax#union
WITH f AS (SELECT los FROM mimiciv_3_1_icu.icustays WHERE los > 3), g AS (SELECT los FROM mimiciv_3_1_icu.icustays WHERE los <= 3) SELECT 'long' AS label, AVG(los) AS m FROM f UNION ALL SELECT 'short', AVG(los) FROM g ORDER BY label
-- a value above its group's mean | window-function-calls
SELECT COUNT(*) AS n FROM (SELECT los, AVG(los) OVER (PARTITION BY first_careunit) AS m FROM mimiciv_3_1_icu.icustays) WHERE los > m
-- alias shadowed by a column in GROUP BY | query-syntax#group_by_clause
SELECT UPPER(insurance) AS payer, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions AS a GROUP BY payer HAVING COUNT(*) > 1 ORDER BY payer
-- arithmetic on aggregates of two CTEs | query-syntax#comma_cross_join
WITH a AS (SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions), b AS (SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays) SELECT a.n, b.n AS icu, SAFE_DIVIDE(b.n, a.n) AS share FROM a, b
-- LEFT JOIN on an equality of expressions | query-syntax#left_join
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p LEFT JOIN mimiciv_3_1_hosp.admissions a ON (DATE(a.deathtime) = p.dod AND a.subject_id > 0)
-- LEFT JOIN of an array | query-syntax#unnest_operator
WITH g AS (SELECT subject_id, ARRAY_AGG(hadm_id) AS stays FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id) SELECT g.subject_id, h FROM g LEFT JOIN UNNEST(g.stays) AS h ON h > g.subject_id
-- two arrays in one FROM | query-syntax#unnest_operator
SELECT a, b FROM UNNEST([1, 2]) AS a, UNNEST([3, 4]) AS b WHERE a < b
-- argument types | functions-all
SELECT IEEE_DIVIDE(hadm_id, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT IEEE_DIVIDE(NULL, 2.5) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag = 1 AS INT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag = 1 AS STRING) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag AS BOOL) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(CAST(hadm_id AS NUMERIC) AS FLOAT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(admittime AS TIME) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(NULL AS FLOAT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(insurance AS FLOAT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_MULTIPLY(hadm_id, 1.5) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT IS_NAN(hadm_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REVERSE(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT LEFT(insurance, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT LPAD(insurance, 9, '0') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT STRPOS(insurance, 'a') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REGEXP_REPLACE(insurance, 'a', 'b') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT BYTE_LENGTH(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT COVAR_SAMP(hadm_id, subject_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT BIT_AND(hadm_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(CAST(admittime AS DATE) AS DATETIME) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(admittime AS STRING) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(CAST(hadm_id AS FLOAT64) AS INT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT SAFE_CAST(insurance AS BOOL) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_ADD(hadm_id, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SIN(hadm_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT RIGHT(insurance, 3) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REPEAT(insurance, 2) AS x FROM mimiciv_3_1_hosp.admissions
