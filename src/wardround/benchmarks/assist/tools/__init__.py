"""The 18 tools of a session: reading the record, writing orders, asking the patient."""
