-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_version = '9'
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.prescriptions r ON p.subject_id = r.drug
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE anchor_age > 'sixty'
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hospital_expire_flag = TRUE
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE insurance = 1
-- comparable types | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_code IN (4280, 4281)
-- comparable types | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents WHERE itemid IN ('50912', '50971')
-- comparable types | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_code IN (SELECT itemid FROM mimiciv_3_1_hosp.d_labitems)
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE icd_code BETWEEN 390 AND 459
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE los BETWEEN '1' AND '2'
-- comparable types | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE admittime > CURRENT_TIMESTAMP()
-- comparable types | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents l JOIN mimiciv_3_1_hosp.admissions a USING (hadm_id) WHERE l.charttime <= TIMESTAMP_ADD(TIMESTAMP(a.admittime), INTERVAL 24 HOUR)
-- comparable types | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE CAST(intime AS TIMESTAMP) < outtime
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE dod > 2150
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE dischtime - admittime > 2
-- comparable types | operators#comparison_operators
WITH c AS (SELECT CAST(hadm_id AS STRING) AS hadm_id FROM mimiciv_3_1_hosp.admissions) SELECT COUNT(*) AS n FROM c JOIN mimiciv_3_1_icu.icustays i ON c.hadm_id = i.hadm_id
-- comparable types | operators#comparison_operators
WITH d AS (SELECT hadm_id, SUBSTR(icd_code, 1, 3) AS family FROM mimiciv_3_1_hosp.diagnoses_icd) SELECT COUNT(*) AS n FROM d WHERE family >= 460
-- comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE EXTRACT(YEAR FROM admittime) = '2150'
-- comparable types | conditional_expressions#case_expr
SELECT CASE icd_version WHEN '9' THEN 'old' ELSE 'new' END AS v FROM mimiciv_3_1_hosp.diagnoses_icd
-- comparable types | query-syntax#using_clause
WITH c AS (SELECT CAST(subject_id AS STRING) AS subject_id FROM mimiciv_3_1_hosp.patients) SELECT COUNT(*) AS n FROM c JOIN mimiciv_3_1_hosp.admissions USING (subject_id)
-- comparable types | operators#logical_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hospital_expire_flag
-- comparable types | operators#logical_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hospital_expire_flag AND insurance = 'Medicare'
-- comparable types | operators#logical_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE NOT hospital_expire_flag
-- argument types | operators#like_operator
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents WHERE itemid LIKE '509%'
-- argument types | operators#arithmetic_operators
SELECT drug + 1 AS x FROM mimiciv_3_1_hosp.prescriptions
-- argument types | operators#arithmetic_operators
SELECT AVG(dose_val_rx * 2) AS x FROM mimiciv_3_1_hosp.prescriptions
-- argument types | operators#arithmetic_operators
SELECT (dischtime - admittime) / 24 > 1.5 AS x FROM mimiciv_3_1_hosp.admissions WHERE dischtime + admittime IS NULL
-- argument types | aggregate_functions#avg
SELECT AVG(dose_val_rx) AS dose FROM mimiciv_3_1_hosp.prescriptions
-- argument types | aggregate_functions#sum
SELECT SUM(gender = 'F') AS women FROM mimiciv_3_1_hosp.patients
-- argument types | aggregate_functions#countif
SELECT COUNTIF(hospital_expire_flag) AS died FROM mimiciv_3_1_hosp.admissions
-- argument types | conditional_expressions#if
SELECT AVG(IF(hospital_expire_flag, 1, 0)) AS rate FROM mimiciv_3_1_hosp.admissions
-- argument types | conditional_expressions#if
SELECT IF(gender = 'F', 1, 'no') AS x FROM mimiciv_3_1_hosp.patients
-- argument types | conditional_expressions#case
SELECT CASE WHEN anchor_age > 65 THEN anchor_age ELSE 'young' END AS x FROM mimiciv_3_1_hosp.patients
-- argument types | conditional_expressions#coalesce
SELECT COALESCE(valuenum, 'missing') AS x FROM mimiciv_3_1_hosp.labevents
-- argument types | conditional_expressions#ifnull
SELECT IFNULL(marital_status, 0) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | string_functions#starts_with
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents WHERE STARTS_WITH(itemid, '509')
-- argument types | string_functions#lower
SELECT LOWER(itemid) AS x FROM mimiciv_3_1_hosp.labevents
-- argument types | string_functions#substr
SELECT SUBSTR(hadm_id, 1, 3) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | string_functions#regexp_contains
SELECT COUNTIF(REGEXP_CONTAINS(icd_version, r'9')) AS n FROM mimiciv_3_1_hosp.diagnoses_icd
-- argument types | mathematical_functions#round
SELECT ROUND(dose_val_rx, 2) AS x FROM mimiciv_3_1_hosp.prescriptions
-- argument types | mathematical_functions#safe_divide
SELECT SAFE_DIVIDE(drug, 2) AS x FROM mimiciv_3_1_hosp.prescriptions
-- argument types | mathematical_functions#mod
SELECT MOD(los, 2) AS x FROM mimiciv_3_1_icu.icustays
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(dischtime, admittime) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(DAY, admittime, dischtime) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(dischtime, hadm_id, DAY) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(TIMESTAMP(dischtime), admittime, DAY) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(dischtime, admittime, 'DAY') AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(dischtime, admittime, DAYS) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | timestamp_functions#timestamp_diff
SELECT TIMESTAMP_DIFF(TIMESTAMP(dischtime), admittime, HOUR) AS h FROM mimiciv_3_1_hosp.admissions
-- argument types | date_functions#date_diff
SELECT DATE_DIFF(DATE(dischtime), 30, DAY) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | date_functions#date_diff
SELECT DATE_DIFF(DATE(dischtime), DATE(admittime), HOUR) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | date_functions#date_add
SELECT DATE_ADD(dod, 30) AS d FROM mimiciv_3_1_hosp.patients
-- argument types | date_functions#date_add
SELECT DATE_ADD(dod, INTERVAL 1.5 DAY) AS d FROM mimiciv_3_1_hosp.patients
-- argument types | datetime_functions#datetime_add
SELECT DATETIME_ADD(hadm_id, INTERVAL 1 DAY) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | datetime_functions#datetime_add
SELECT DATETIME_ADD(intime, INTERVAL los DAY) AS d FROM mimiciv_3_1_icu.icustays
-- argument types | datetime_functions#extract
SELECT EXTRACT(YEAR FROM anchor_year) AS y FROM mimiciv_3_1_hosp.patients
-- argument types | datetime_functions#extract
SELECT EXTRACT(EPOCH FROM admittime) AS y FROM mimiciv_3_1_hosp.admissions
-- argument types | date_functions#extract
SELECT EXTRACT(HOUR FROM dod) AS h FROM mimiciv_3_1_hosp.patients
-- argument types | datetime_functions#datetime_trunc
SELECT DATETIME_TRUNC('day', admittime) AS d FROM mimiciv_3_1_hosp.admissions
-- argument types | approximate_aggregate_functions#approx_quantiles
SELECT APPROX_QUANTILES(los, 0.5) AS m FROM mimiciv_3_1_icu.icustays
-- argument types | array_functions
SELECT APPROX_QUANTILES(los, 4)[2] AS m FROM mimiciv_3_1_icu.icustays
-- argument types | array_functions
SELECT los[OFFSET(0)] AS m FROM mimiciv_3_1_icu.icustays
-- argument types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE APPROX_QUANTILES(los, 4) > 2 GROUP BY subject_id
-- argument types | mathematical_functions#round
SELECT ROUND(APPROX_QUANTILES(los, 4), 2) AS q FROM mimiciv_3_1_icu.icustays
-- argument types | statistical_aggregate_functions#stddev
SELECT STDDEV(icd_code) AS x FROM mimiciv_3_1_hosp.diagnoses_icd
-- argument types | conversion_functions#cast
SELECT CAST(admittime AS INT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_functions#cast
SELECT CAST(anchor_age AS DATE) AS x FROM mimiciv_3_1_hosp.patients
-- argument types | numbering_functions#ntile
SELECT NTILE() OVER (ORDER BY los) AS q FROM mimiciv_3_1_icu.icustays
-- argument types | mathematical_functions#greatest
SELECT GREATEST(admittime, 0) AS x FROM mimiciv_3_1_hosp.admissions
-- analytic only | navigation_functions#percentile_cont
SELECT PERCENTILE_CONT(los, 0.5) AS m FROM mimiciv_3_1_icu.icustays
-- analytic only | navigation_functions#percentile_cont
SELECT first_careunit, PERCENTILE_CONT(los, 0.25) AS q1 FROM mimiciv_3_1_icu.icustays GROUP BY first_careunit
-- analytic only | navigation_functions#percentile_disc
SELECT gender, PERCENTILE_DISC(anchor_age, 0.5) AS m FROM mimiciv_3_1_hosp.patients GROUP BY gender
-- analytic only | navigation_functions#percentile_cont
WITH v AS (SELECT DATETIME_DIFF(dischtime, admittime, DAY) AS los FROM mimiciv_3_1_hosp.admissions) SELECT ROUND(PERCENTILE_CONT(los, 0.75) - PERCENTILE_CONT(los, 0.25), 2) AS iqr FROM v
-- analytic only | numbering_functions#row_number
SELECT ROW_NUMBER() AS nr FROM mimiciv_3_1_hosp.patients
-- analytic only | navigation_functions#percentile_cont
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY los) AS m FROM mimiciv_3_1_icu.icustays
-- analytic only | navigation_functions#percentile_cont
SELECT insurance, PERCENTILE_DISC(0.9) WITHIN GROUP (ORDER BY hadm_id DESC) AS p FROM mimiciv_3_1_hosp.admissions GROUP BY insurance
-- analytic only | aggregate_functions#string_agg
SELECT hadm_id, STRING_AGG(icd_code, ',') WITHIN GROUP (ORDER BY icd_code) AS c FROM mimiciv_3_1_hosp.diagnoses_icd GROUP BY hadm_id
-- window form | navigation_functions#percentile_cont
SELECT PERCENTILE_CONT(los, 0.5) OVER (ORDER BY intime) AS m FROM mimiciv_3_1_icu.icustays
-- window form | numbering_functions#rank
SELECT RANK() OVER (PARTITION BY subject_id) AS r FROM mimiciv_3_1_hosp.admissions
-- window form | navigation_functions#lag
SELECT LAG(admittime) OVER (PARTITION BY subject_id) AS r FROM mimiciv_3_1_hosp.admissions
-- window form | window-function-calls
SELECT COUNT(DISTINCT hadm_id) OVER (PARTITION BY subject_id ORDER BY admittime) AS n FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT MEDIAN(los) AS m FROM mimiciv_3_1_icu.icustays
-- unknown function | functions-all
SELECT DATEDIFF(DAY, admittime, dischtime) AS d FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT QUANTILE_CONT(los, 0.5) AS m FROM mimiciv_3_1_icu.icustays
-- unknown function | functions-all
SELECT NVL(insurance, 'none') AS m FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT STR_TO_DATE(drug, '%Y') AS m FROM mimiciv_3_1_hosp.prescriptions
-- unknown function | functions-all
SELECT IIF(gender = 'F', 1, 0) AS f FROM mimiciv_3_1_hosp.patients
-- unknown function | functions-all
SELECT DATE_PART('year', admittime) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT YEAR(admittime) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT TO_CHAR(admittime, 'YYYY') AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT AGE(dischtime, admittime) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT BOOL_OR(icd_version = 9) AS y FROM mimiciv_3_1_hosp.diagnoses_icd
-- unknown function | functions-all
SELECT MODE(insurance) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT ARG_MAX(insurance, admittime) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT LIST(hadm_id) AS y FROM mimiciv_3_1_hosp.admissions
-- unknown function | functions-all
SELECT APPROX_QUANTILE(los, 0.5) AS y FROM mimiciv_3_1_icu.icustays
-- unknown function | functions-all
SELECT SUM_IF(los, los > 1) AS y FROM mimiciv_3_1_icu.icustays
-- unknown type | data-types
SELECT CAST(los AS FLOAT) AS x FROM mimiciv_3_1_icu.icustays
-- unknown type | data-types
SELECT CAST(los AS DOUBLE) AS x FROM mimiciv_3_1_icu.icustays
-- unknown type | data-types
SELECT CAST(hadm_id AS VARCHAR) AS x FROM mimiciv_3_1_hosp.admissions
-- unknown type | data-types
SELECT CAST(hadm_id AS TEXT) AS x FROM mimiciv_3_1_hosp.admissions
-- unknown column | lexical#path_expressions
SELECT age FROM mimiciv_3_1_hosp.patients
-- unknown column | lexical#path_expressions
SELECT a.gender FROM mimiciv_3_1_hosp.admissions a
-- unknown column | query-syntax#explicit_alias_visibility
SELECT anchor_age AS age FROM mimiciv_3_1_hosp.patients WHERE age > 60
-- unknown column | query-syntax#explicit_alias_visibility
SELECT anchor_age AS age, age + 1 AS next_age FROM mimiciv_3_1_hosp.patients
-- unknown column | query-syntax#explicit_alias_visibility
SELECT x.hadm_id FROM mimiciv_3_1_hosp.admissions a
-- unknown column | query-syntax#explicit_alias_visibility
SELECT admissions.hadm_id FROM mimiciv_3_1_hosp.admissions a
-- unknown column | query-syntax#with_clause
WITH c AS (SELECT subject_id FROM mimiciv_3_1_hosp.patients) SELECT COUNT(*) AS n FROM c WHERE gender = 'F'
-- unknown column | query-syntax#with_clause
WITH c AS (SELECT hadm_id AS h FROM mimiciv_3_1_hosp.admissions) SELECT AVG(i.los) AS m FROM c JOIN mimiciv_3_1_icu.icustays i ON c.hadm_id = i.hadm_id
-- unknown column | query-syntax#using_clause
WITH c AS (SELECT subject_id FROM mimiciv_3_1_hosp.patients) SELECT COUNT(*) AS n FROM c JOIN mimiciv_3_1_hosp.admissions USING (hadm_id)
-- unknown column | query-syntax#order_by_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients ORDER BY total
-- unknown column | data-types#struct_type
SELECT s.b FROM (SELECT STRUCT(anchor_age AS a) AS s FROM mimiciv_3_1_hosp.patients)
-- ambiguous column | query-syntax#ambiguity_between_from_clause_column_names
SELECT subject_id FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = a.subject_id
-- ambiguous column | query-syntax#ambiguity_between_from_clause_column_names
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_icu.icustays i ON a.hadm_id = i.hadm_id WHERE hadm_id > 0
-- ambiguous column | query-syntax#duplicate_table_aliases
SELECT a.hadm_id FROM (SELECT a.hadm_id, i.hadm_id FROM mimiciv_3_1_hosp.admissions a JOIN mimiciv_3_1_icu.icustays i ON a.hadm_id = i.hadm_id) a
-- duplicate alias | query-syntax#duplicate_table_aliases
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients a JOIN mimiciv_3_1_hosp.admissions a ON TRUE
-- grouped columns | query-syntax#group_by_clause
SELECT gender, anchor_age, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY gender
-- grouped columns | query-syntax#group_by_clause
SELECT gender, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients
-- grouped columns | query-syntax#group_by_clause
SELECT hadm_id, DATETIME_DIFF(MAX(charttime), charttime, HOUR) AS h FROM mimiciv_3_1_hosp.labevents GROUP BY hadm_id
-- grouped columns | query-syntax#having_clause
SELECT gender, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY gender HAVING anchor_age > 60
-- grouped columns | query-syntax#order_by_clause
SELECT gender, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY gender ORDER BY anchor_age
-- grouped columns | query-syntax#group_by_clause
SELECT EXTRACT(YEAR FROM admittime) AS y, EXTRACT(MONTH FROM admittime) AS m, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY y
-- grouped columns | query-syntax#group_by_clause
SELECT hadm_id, ROW_NUMBER() OVER (ORDER BY charttime) AS r FROM mimiciv_3_1_hosp.labevents GROUP BY hadm_id
-- grouped columns | query-syntax#group_by_clause
WITH c AS (SELECT hadm_id, los FROM mimiciv_3_1_icu.icustays), t AS (SELECT APPROX_QUANTILES(los, 4)[OFFSET(3)] AS q3 FROM c) SELECT t.q3, COUNT(*) AS n FROM c CROSS JOIN t WHERE c.los > t.q3
-- grouped columns | query-syntax#group_by_clause
SELECT * FROM mimiciv_3_1_hosp.patients GROUP BY gender
-- aggregate not allowed | query-syntax#where_clause
SELECT subject_id FROM mimiciv_3_1_hosp.admissions WHERE COUNT(*) > 1 GROUP BY subject_id
-- aggregate not allowed | query-syntax#where_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE los > AVG(los)
-- aggregate not allowed | query-syntax#on_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = MAX(a.subject_id)
-- aggregate not allowed | query-syntax#group_by_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients GROUP BY n
-- window not allowed | query-syntax#where_clause
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions WHERE ROW_NUMBER() OVER (ORDER BY admittime) = 1
-- window not allowed | query-syntax#having_clause
SELECT subject_id FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id HAVING RANK() OVER (ORDER BY COUNT(*)) = 1
-- window not allowed | query-syntax#group_by_clause
SELECT NTILE(4) OVER (ORDER BY los) AS q, COUNT(*) AS n FROM mimiciv_3_1_icu.icustays GROUP BY q
-- window not allowed | window-function-calls
SELECT AVG(LEAD(los) OVER (ORDER BY intime)) AS m FROM mimiciv_3_1_icu.icustays
-- nested aggregates | aggregate-function-calls
SELECT MAX(COUNT(*)) AS n FROM mimiciv_3_1_hosp.admissions GROUP BY subject_id
-- nested aggregates | aggregate-function-calls
SELECT STDDEV(AVG(valuenum)) AS n FROM mimiciv_3_1_hosp.labevents GROUP BY hadm_id
-- window not allowed | query-syntax#qualify_clause
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions QUALIFY hadm_id > 1
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM patients
-- table name | lexical#table_names
WITH c AS (SELECT hadm_id FROM admissions) SELECT COUNT(*) AS n FROM c
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM `physionet-data.mimic_core.patients`
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM mimiciv_2_2_hosp.patients
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM `mimic-data.mimiciv_3_1_hosp.patients`
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.icustays
-- table name | lexical#table_names
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses
-- join condition | query-syntax#on_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a LEFT JOIN mimiciv_3_1_hosp.labevents l ON l.hadm_id = a.hadm_id AND l.itemid IN (SELECT itemid FROM mimiciv_3_1_hosp.d_labitems WHERE label = 'Creatinine')
-- join condition | query-syntax#on_clause
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd d JOIN mimiciv_3_1_hosp.admissions a ON d.hadm_id IN (SELECT hadm_id FROM mimiciv_3_1_icu.icustays)
-- set columns | query-syntax#set_operators
SELECT subject_id, hadm_id FROM mimiciv_3_1_hosp.admissions UNION ALL SELECT subject_id FROM mimiciv_3_1_hosp.patients
-- set columns | query-syntax#set_operators
SELECT gender AS x FROM mimiciv_3_1_hosp.patients UNION ALL SELECT anchor_age FROM mimiciv_3_1_hosp.patients
-- set columns | query-syntax#set_operators
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions UNION SELECT hadm_id FROM mimiciv_3_1_icu.icustays
-- set columns | query-syntax#set_operators
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions EXCEPT SELECT hadm_id FROM mimiciv_3_1_icu.icustays
-- subquery columns | subqueries#in_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions WHERE hadm_id IN (SELECT hadm_id, stay_id FROM mimiciv_3_1_icu.icustays)
-- subquery columns | subqueries#scalar_subquery_concepts
SELECT (SELECT MIN(los), MAX(los) FROM mimiciv_3_1_icu.icustays) AS x
-- subquery columns | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd WHERE (icd_code, icd_version) IN (SELECT icd_code, icd_version FROM mimiciv_3_1_hosp.d_icd_diagnoses)
-- orderable types | data-types#orderable_data_types
SELECT MAX(s) AS x FROM (SELECT STRUCT(anchor_age AS a) AS s FROM mimiciv_3_1_hosp.patients)
-- orderable types | data-types#orderable_data_types
SELECT anchor_age FROM mimiciv_3_1_hosp.patients ORDER BY STRUCT(anchor_age, gender)
-- orderable types | data-types#orderable_data_types
SELECT APPROX_QUANTILES(los, 4) AS q FROM mimiciv_3_1_icu.icustays ORDER BY q
-- syntax | operators
SELECT los::INT64 AS x FROM mimiciv_3_1_icu.icustays
-- syntax | operators#like_operator
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.prescriptions WHERE drug ILIKE '%insulin%'
-- syntax | operators#like_operator
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.prescriptions WHERE drug SIMILAR TO '%(a|b)%'
-- syntax | aggregate-function-calls
SELECT COUNT(*) FILTER (WHERE gender = 'F') AS n FROM mimiciv_3_1_hosp.patients
-- syntax | lexical#quoted_literals
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients WHERE dod > DATE '2150-13-45'
-- syntax | query-syntax
SELECT DISTINCT ON (subject_id) subject_id, hadm_id FROM mimiciv_3_1_hosp.admissions
-- syntax | operators
SELECT anchor_age % 10 AS x FROM mimiciv_3_1_hosp.patients
-- syntax | query-syntax#limit_and_offset_clause
SELECT hadm_id FROM mimiciv_3_1_hosp.admissions FETCH FIRST 3 ROWS ONLY
-- syntax | query-syntax#limit_and_offset_clause
SELECT TOP 5 hadm_id FROM mimiciv_3_1_hosp.admissions
-- syntax | lexical#reserved_keywords
SELECT COUNT(*) AS rows FROM mimiciv_3_1_hosp.patients GROUP BY hash
-- join condition | query-syntax#left_join
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a LEFT JOIN mimiciv_3_1_hosp.labevents l ON l.charttime BETWEEN a.admittime AND a.dischtime
-- join condition | query-syntax#full_join
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p FULL JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = a.subject_id OR p.dod = DATE(a.deathtime)
-- argument types | functions-all
SELECT IEEE_DIVIDE(insurance, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT IEEE_DIVIDE(1, insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT IEEE_DIVIDE(1, admittime) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag = 1 AS FLOAT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag = 1 AS NUMERIC) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag / 2 AS BOOL) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(hospital_expire_flag = 1 AS DATE) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT SAFE_CAST(hospital_expire_flag = 1 AS FLOAT64) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | conversion_rules#casting
SELECT CAST(CAST(admittime AS DATE) AS TIME) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_ADD(insurance, 1) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_SUBTRACT(1, insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_MULTIPLY(hospital_expire_flag = 1, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SAFE_NEGATE(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT IS_NAN(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT SIN(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REVERSE(hadm_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT LEFT(hadm_id, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT RIGHT(insurance, '2') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT LPAD(hadm_id, 9) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REPEAT(hadm_id, 2) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REGEXP_REPLACE(hadm_id, '1', '') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT REGEXP_EXTRACT_ALL(hadm_id, '1') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT STRPOS(hadm_id, '1') AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT INSTR(insurance, 1) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT BYTE_LENGTH(hadm_id) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT COVAR_SAMP(hadm_id, insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT BIT_AND(insurance) AS x FROM mimiciv_3_1_hosp.admissions
-- argument types | functions-all
SELECT BIT_OR(admittime) AS x FROM mimiciv_3_1_hosp.admissions
