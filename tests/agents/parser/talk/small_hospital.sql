-- Two patients whose records can be counted by hand.
INSERT INTO demographics VALUES
    (1, 1, 'f', '2050-01-01', NULL),
    (2, 2, 'm', '2040-01-01', '2100-12-02 00:00:00');
INSERT INTO hospitaladmissions VALUES
    (1, 1, 11, '2100-11-01 10:00:00', '2100-11-05 10:00:00', 'urgent', 'emergency room', 'home', 'medicare', 'english', 'single', 50),
    (2, 2, 21, '2100-06-01 10:00:00', '2100-06-03 22:00:00', 'elective', 'physician referral', 'home', 'other', 'english', 'married', 60),
    (3, 2, 22, '2100-12-01 10:00:00', '2100-12-02 00:00:00', 'urgent', 'emergency room', 'died', 'other', 'english', 'married', 61);
INSERT INTO diagnosiscodes VALUES
    (1, 'i10', 10, 'essential (primary) hypertension'),
    (2, 'e785', 10, 'hyperlipidemia, unspecified'),
    (3, 'z803', 10, 'family history of malignant neoplasm of breast');
INSERT INTO admissiondiagnoses VALUES
    (1, 1, 11, 'i10', 10, '2100-11-05 10:00:00'),
    (2, 2, 21, 'e785', 10, '2100-06-03 22:00:00'),
    (3, 2, 22, 'i10', 10, '2100-12-02 00:00:00'),
    (4, 1, 11, 'z803', 10, '2100-11-05 10:00:00');
INSERT INTO labtesttypes VALUES
    (1, 50, 'hemoglobin'),
    (2, 51, 'hemoglobin c'),
    (3, 52, 'troponin t'),
    (4, 53, 'troponin i'),
    (5, 54, 'osmolality, measured'),
    (6, 55, 'osmolality, urine');
INSERT INTO labresults VALUES
    (1, 1, 11, 50, '2100-11-02 06:00:00', 9.5, 'g/dl'),
    (2, 1, 11, 50, '2100-11-03 06:00:00', 7.5, 'g/dl'),
    (3, 2, 22, 52, '2100-12-01 12:00:00', 0.4, 'ng/ml'),
    (4, 2, 21, 50, '2100-06-01 12:00:00', 13, 'g/dl'),
    (5, 1, 11, 54, '2100-11-02 06:00:00', 290, 'mosm/kg'),
    (6, 2, 22, 54, '2100-12-01 12:00:00', 300, 'mosm/kg'),
    (7, 2, 22, 55, '2100-12-01 12:00:00', 500, 'mosm/kg');
INSERT INTO medicationorders VALUES
    (1, 1, 11, '2100-11-01 12:00:00', '2100-11-02 12:00:00', 'furosemide', '20', 'mg', 'iv'),
    (2, 2, 21, '2100-06-01 12:00:00', '2100-06-02 12:00:00', 'simvastatin', '40', 'mg', 'po'),
    (3, 2, 22, '2100-12-01 12:00:00', '2100-12-01 20:00:00', 'furosemide', '40', 'mg', 'po');
INSERT INTO costrecords VALUES
    (1, 1, 11, 'labresults', 1, '2100-11-02 06:00:00', 10.5),
    (2, 1, 11, 'medicationorders', 1, '2100-11-01 12:00:00', 4.0);
INSERT INTO microbiologyresults VALUES
    (1, 1, 11, '2100-11-02 07:00:00', 'urine', 'urine culture', 'escherichia coli'),
    (2, 2, 22, '2100-12-01 12:00:00', 'blood culture', 'blood culture', 'escherichia coli'),
    (3, 2, 22, '2100-12-01 12:00:00', 'urine', 'urine culture', 'yeast');
