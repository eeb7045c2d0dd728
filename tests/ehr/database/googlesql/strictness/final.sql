-- accepted | sex and age | operators#comparison_operators
SELECT COUNT(DISTINCT p.subject_id) AS patients FROM `physionet-data.mimiciv_3_1_hosp.patients` AS p WHERE p.gender = 'F' AND p.anchor_age BETWEEN 62 AND 72
;;
-- accepted | coercion of INT64 to FLOAT64 | conversion_rules#coercion
SELECT ROUND(AVG(l.valuenum), 2) AS mean_value FROM `physionet-data.mimiciv_3_1_hosp.labevents` AS l WHERE l.itemid = 50912 AND l.valuenum > 0 AND l.valuenum < 30
;;
-- accepted | DATETIME_DIFF | datetime_functions#datetime_diff
SELECT APPROX_QUANTILES(DATETIME_DIFF(a.dischtime, a.admittime, DAY), 4)[OFFSET(3)] - APPROX_QUANTILES(DATETIME_DIFF(a.dischtime, a.admittime, DAY), 4)[OFFSET(1)] AS iqr_days FROM `physionet-data.mimiciv_3_1_hosp.admissions` a WHERE a.hospital_expire_flag = 0
;;
-- accepted | SAFE_DIVIDE of counts | mathematical_functions#safe_divide
WITH stays AS (SELECT i.stay_id, i.hadm_id, i.los FROM `physionet-data.mimiciv_3_1_icu.icustays` i WHERE i.los >= 1.5)
SELECT ROUND(100 * SAFE_DIVIDE(COUNTIF(a.hospital_expire_flag = 1), COUNT(*)), 2) AS mortality FROM stays s JOIN `physionet-data.mimiciv_3_1_hosp.admissions` a USING (hadm_id)
;;
-- accepted | quartiles by NTILE | numbering_functions#ntile
WITH ranked AS (SELECT a.hadm_id, DATETIME_DIFF(a.dischtime, a.admittime, HOUR) / 24.0 AS los, NTILE(4) OVER (ORDER BY DATETIME_DIFF(a.dischtime, a.admittime, HOUR)) AS quartile FROM mimiciv_3_1_hosp.admissions a)
SELECT quartile, COUNT(*) AS n, AVG(los) AS mean_los, MIN(los) AS low, MAX(los) AS high FROM ranked GROUP BY quartile ORDER BY quartile
;;
-- accepted | percentiles over a window | navigation_functions#percentile_cont
SELECT DISTINCT PERCENTILE_CONT(p.anchor_age, 0.5) OVER () AS median_age FROM mimiciv_3_1_hosp.patients p WHERE p.gender = 'M'
;;
-- accepted | QUALIFY | query-syntax#qualify_clause
SELECT l.subject_id, l.charttime, l.valuenum FROM mimiciv_3_1_hosp.labevents l WHERE l.itemid = 50971 QUALIFY ROW_NUMBER() OVER (PARTITION BY l.subject_id ORDER BY l.charttime DESC) = 1
;;
-- accepted | code lists in both versions | operators#in_operators
SELECT DISTINCT d.subject_id, d.hadm_id FROM mimiciv_3_1_hosp.diagnoses_icd d WHERE (d.icd_version = 9 AND d.icd_code IN ('41071', '41091')) OR (d.icd_version = 10 AND STARTS_WITH(d.icd_code, 'I21'))
;;
-- accepted | EXISTS correlated | subqueries#exists_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE EXISTS (SELECT 1 FROM mimiciv_3_1_hosp.prescriptions r WHERE r.hadm_id = a.hadm_id AND LOWER(r.drug) LIKE '%metformin%' AND r.starttime <= DATETIME_ADD(a.admittime, INTERVAL 48 HOUR))
;;
-- accepted | DATE compared with DATETIME by a cast | conversion_rules#casting
SELECT COUNTIF(DATE(a.dischtime) = p.dod) AS same_day, COUNTIF(p.dod > CAST(a.dischtime AS DATE)) AS later FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON a.subject_id = p.subject_id
;;
-- accepted | DATE coerces to DATETIME | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON a.subject_id = p.subject_id WHERE p.dod BETWEEN DATE(a.dischtime) AND DATE_ADD(DATE(a.dischtime), INTERVAL 30 DAY)
;;
-- accepted | LEAD with a default window | navigation_functions#lead
WITH next AS (SELECT a.subject_id, a.dischtime, LEAD(a.admittime) OVER (PARTITION BY a.subject_id ORDER BY a.admittime) AS next_admit FROM mimiciv_3_1_hosp.admissions a)
SELECT ROUND(AVG(IF(next_admit <= DATETIME_ADD(dischtime, INTERVAL 30 DAY), 1, 0)) * 100, 1) AS readmitted FROM next
;;
-- accepted | HAVING by alias | query-syntax#having_clause
SELECT r.drug, COUNT(DISTINCT r.hadm_id) AS stays FROM mimiciv_3_1_hosp.prescriptions r GROUP BY 1 HAVING stays >= 5 ORDER BY stays DESC, r.drug LIMIT 10
;;
-- accepted | UNION ALL of literals and columns | query-syntax#set_operators
SELECT 'F' AS sex, COUNT(*) AS n, AVG(anchor_age) AS mean_age FROM mimiciv_3_1_hosp.patients WHERE gender = 'F' UNION ALL SELECT 'all', COUNT(*), NULL FROM mimiciv_3_1_hosp.patients
;;
-- accepted | CROSS JOIN with a scalar CTE | query-syntax#cross_join
WITH cohort AS (SELECT hadm_id, los FROM mimiciv_3_1_icu.icustays), bounds AS (SELECT AVG(los) AS mean_los, STDDEV(los) AS sd_los FROM cohort)
SELECT COUNT(*) AS outliers FROM cohort CROSS JOIN bounds WHERE ABS(cohort.los - bounds.mean_los) > 2 * bounds.sd_los
;;
-- accepted | UNNEST of structs | arrays#querying_structs_in_an_array
SELECT t.name, COUNT(c.stay_id) AS readings FROM UNNEST([STRUCT(220045 AS itemid, 'heart rate' AS name), (220277, 'saturation')]) AS t LEFT JOIN mimiciv_3_1_icu.chartevents c ON c.itemid = t.itemid GROUP BY t.name
;;
-- accepted | age at admission | date_functions#extract
SELECT p.anchor_age + (EXTRACT(YEAR FROM a.admittime) - p.anchor_year) AS age, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a USING (subject_id) GROUP BY age ORDER BY age
;;
-- accepted | STDDEV and IF nested | conditional_expressions#if
SELECT STDDEV_SAMP(IF(c.valuenum BETWEEN 20 AND 250, c.valuenum, NULL)) AS sd, LOGICAL_OR(c.valuenum > 180) AS ever FROM mimiciv_3_1_icu.chartevents c WHERE c.itemid IN (220050, 220179) AND c.valuenum IS NOT NULL
;;
-- accepted | TIMESTAMP_DIFF of DATETIME columns | timestamp_functions#timestamp_diff
SELECT MAX(TIMESTAMP_DIFF(i.outtime, i.intime, HOUR)) AS hours FROM mimiciv_3_1_icu.icustays i
;;
-- accepted | scalar subquery in a condition | subqueries#scalar_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_icu.icustays WHERE los > (SELECT AVG(los) FROM mimiciv_3_1_icu.icustays)
;;
-- accepted | CASE with mixed numbers | conditional_expressions#case
SELECT CASE WHEN p.anchor_age < 50 THEN 0 WHEN p.anchor_age < 65 THEN 1.5 ELSE 2 END AS points, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p GROUP BY points
;;
-- accepted | REGEXP_CONTAINS and COALESCE | string_functions#regexp_contains
SELECT COALESCE(r.route, 'none') AS route, COUNTIF(REGEXP_CONTAINS(LOWER(r.drug), r'(warfarin|apixaban)')) AS n FROM mimiciv_3_1_hosp.prescriptions r GROUP BY route
;;
-- accepted | PERCENT_RANK | numbering_functions#percent_rank
WITH l AS (SELECT hadm_id, PERCENT_RANK() OVER (ORDER BY DATETIME_DIFF(dischtime, admittime, MINUTE)) AS pr FROM mimiciv_3_1_hosp.admissions) SELECT COUNT(*) AS top FROM l WHERE pr >= 0.9
;;
-- accepted | aggregate over an aggregate | window-function-calls#window_function_concepts
SELECT a.admission_type, COUNT(*) AS n, ROUND(100 * COUNT(*) / SUM(COUNT(*)) OVER (), 1) AS share FROM mimiciv_3_1_hosp.admissions a GROUP BY a.admission_type
;;
-- accepted | frame of rows | window-function-calls#def_window_frame
SELECT c.stay_id, c.charttime, AVG(c.valuenum) OVER (PARTITION BY c.stay_id ORDER BY c.charttime ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS rolling FROM mimiciv_3_1_icu.chartevents c WHERE c.itemid = 220045
;;
-- accepted | first value without NULLs | navigation_functions#first_value
SELECT DISTINCT l.hadm_id, FIRST_VALUE(l.valuenum IGNORE NULLS) OVER (PARTITION BY l.hadm_id ORDER BY l.charttime) AS first_value FROM mimiciv_3_1_hosp.labevents l WHERE l.itemid = 50983
;;
-- accepted | ARRAY_AGG with order and limit | aggregate_functions#array_agg
SELECT d.hadm_id, ARRAY_AGG(d.icd_code ORDER BY d.seq_num LIMIT 1)[OFFSET(0)] AS main FROM mimiciv_3_1_hosp.diagnoses_icd d GROUP BY d.hadm_id
;;
-- accepted | FORMAT and CONCAT | string_functions#format_string
SELECT CONCAT(CAST(MIN(anchor_age) AS STRING), '-', CAST(MAX(anchor_age) AS STRING)) AS ages, FORMAT('%.1f', AVG(anchor_age)) AS mean_age FROM mimiciv_3_1_hosp.patients
;;
-- accepted | DATE_DIFF and DATE of a DATETIME | date_functions#date_diff
SELECT AVG(DATE_DIFF(DATE(a.dischtime), DATE(a.admittime), DAY)) AS days FROM mimiciv_3_1_hosp.admissions a WHERE a.admission_location IS NOT NULL
;;
-- accepted | SELECT * EXCEPT | query-syntax#select_except
WITH s AS (SELECT i.*, ROW_NUMBER() OVER (PARTITION BY i.hadm_id ORDER BY i.intime) AS nr FROM mimiciv_3_1_icu.icustays i) SELECT * EXCEPT (nr) FROM s WHERE nr = 1 LIMIT 3
;;
-- accepted | SAFE_CAST of text | conversion_functions#safe_casting
SELECT AVG(SAFE_CAST(r.dose_val_rx AS FLOAT64)) AS dose FROM mimiciv_3_1_hosp.prescriptions r WHERE LOWER(r.drug) LIKE '%heparin%'
;;
-- accepted | string literal as DATETIME | conversion_rules#literal_coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE a.admittime >= '2150-01-01' AND a.dischtime < '2160-01-01 12:00:00'
;;
-- accepted | PIVOT by conditional sums | aggregate_functions#sum
SELECT SUM(CASE WHEN gender = 'F' THEN 1 ELSE 0 END) AS f, SUM(CAST(gender = 'M' AS INT64)) AS m FROM mimiciv_3_1_hosp.patients
;;
-- accepted | GREATEST and LEAST of DATETIMEs | mathematical_functions#least
SELECT SUM(DATETIME_DIFF(LEAST(r.stoptime, a.dischtime), GREATEST(r.starttime, a.admittime), HOUR)) AS hours FROM mimiciv_3_1_hosp.prescriptions r JOIN mimiciv_3_1_hosp.admissions a ON r.hadm_id = a.hadm_id
;;
-- accepted | Charlson by admission | query-syntax#from_clause
SELECT CORR(c.charlson_comorbidity_index, DATETIME_DIFF(a.dischtime, a.admittime, DAY)) AS r FROM `physionet-data.mimiciv_derived.charlson` c JOIN mimiciv_3_1_hosp.admissions a USING (hadm_id)
;;
-- accepted | named window | query-syntax#window_clause
SELECT t.subject_id, RANK() OVER w AS r, LAG(t.intime) OVER w AS earlier FROM mimiciv_3_1_hosp.transfers t WINDOW w AS (PARTITION BY t.subject_id ORDER BY t.intime)
;;
-- refused | comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.diagnoses_icd d WHERE d.icd_version = '10' AND d.icd_code = 4280
;;
-- refused | comparable types | operators#in_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.procedures_icd q WHERE q.icd_code IN (9671, 9672)
;;
-- refused | comparable types | operators#comparison_operators
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.labevents l JOIN mimiciv_3_1_hosp.prescriptions r ON l.itemid = r.drug
;;
-- refused | comparable types | conversion_rules#coercion
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a WHERE a.admittime < TIMESTAMP('2150-01-01')
;;
-- refused | analytic only | navigation_functions#percentile_cont
SELECT PERCENTILE_CONT(i.los, 0.75) AS p75 FROM mimiciv_3_1_icu.icustays i
;;
-- refused | WITHIN GROUP | navigation_functions#percentile_cont
SELECT a.insurance, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY DATETIME_DIFF(a.dischtime, a.admittime, DAY)) AS med FROM mimiciv_3_1_hosp.admissions a GROUP BY a.insurance
;;
-- refused | unknown function | functions-all
SELECT MEDIAN(p.anchor_age) AS med FROM mimiciv_3_1_hosp.patients p
;;
-- refused | unknown function | functions-all
SELECT AVG(DATEDIFF(a.dischtime, a.admittime)) AS days FROM mimiciv_3_1_hosp.admissions a
;;
-- refused | unknown column | lexical#path_expressions
SELECT a.hadm_id, a.anchor_age FROM mimiciv_3_1_hosp.admissions a
;;
-- refused | unknown column | query-syntax#visibility
WITH c AS (SELECT subject_id FROM mimiciv_3_1_hosp.patients) SELECT c.subject_id, c.gender FROM c
;;
-- refused | grouped columns | query-syntax#group_by_clause
SELECT a.admission_type, a.insurance, COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a GROUP BY a.admission_type
;;
-- refused | grouped columns | query-syntax#group_by_clause
WITH s AS (SELECT hadm_id, los FROM mimiciv_3_1_icu.icustays) SELECT hadm_id, AVG(los) AS mean_los, los - AVG(los) AS d FROM s GROUP BY hadm_id
;;
-- refused | aggregate not allowed | query-syntax#where_clause
SELECT r.subject_id FROM mimiciv_3_1_hosp.prescriptions r WHERE COUNT(r.drug) > 3 GROUP BY r.subject_id
;;
-- refused | window not allowed | query-syntax#where_clause
SELECT l.hadm_id FROM mimiciv_3_1_hosp.labevents l WHERE ROW_NUMBER() OVER (PARTITION BY l.hadm_id ORDER BY l.charttime) = 1
;;
-- refused | nested aggregates | aggregate-function-calls
SELECT AVG(COUNT(d.icd_code)) AS mean_codes FROM mimiciv_3_1_hosp.diagnoses_icd d GROUP BY d.hadm_id
;;
-- refused | table without dataset | lexical#table_names
SELECT COUNT(*) AS n FROM patients p JOIN admissions a ON p.subject_id = a.subject_id
;;
-- refused | unknown dataset | lexical#table_names
SELECT COUNT(*) AS n FROM `physionet-data.mimiciv_3_1_ed.edstays`
;;
-- refused | unknown table | lexical#table_names
SELECT COUNT(*) AS n FROM `physionet-data.mimiciv_3_1_icu.labevents`
;;
-- refused | subquery in a join's condition | subqueries#in_subquery_concepts
SELECT COUNT(*) AS n FROM mimiciv_3_1_hosp.admissions a LEFT JOIN mimiciv_3_1_hosp.diagnoses_icd d ON a.hadm_id = d.hadm_id AND d.icd_code IN (SELECT icd_code FROM mimiciv_3_1_hosp.d_icd_diagnoses WHERE LOWER(long_title) LIKE '%sepsis%')
;;
-- refused | argument types | datetime_functions#datetime_diff
SELECT DATETIME_DIFF(a.dischtime, a.admittime) AS d FROM mimiciv_3_1_hosp.admissions a
;;
-- refused | argument types | timestamp_functions#timestamp_diff
SELECT AVG(TIMESTAMP_DIFF(CAST(a.dischtime AS TIMESTAMP), a.admittime, DAY)) AS d FROM mimiciv_3_1_hosp.admissions a
;;
-- refused | set columns | query-syntax#set_operators
SELECT subject_id, gender FROM mimiciv_3_1_hosp.patients UNION ALL SELECT subject_id, hadm_id FROM mimiciv_3_1_hosp.admissions
;;
-- refused | ambiguous column | query-syntax#visibility
SELECT subject_id, COUNT(*) AS n FROM mimiciv_3_1_hosp.patients p JOIN mimiciv_3_1_hosp.admissions a ON p.subject_id = a.subject_id GROUP BY 1
;;
-- refused | unknown type | data-types
SELECT CAST(l.valuenum AS FLOAT) AS v, CAST(l.itemid AS VARCHAR) AS i FROM mimiciv_3_1_hosp.labevents l
