-- Changes the schema of the last version before 1.0 into that of V0001, with its rows.

ALTER TABLE accounts ADD COLUMN last_sign_in_month BIGINT GENERATED ALWAYS AS (last_sign_in_at / 2592000000) STORED;
ALTER TABLE accounts SET (fillfactor = 90);
DROP INDEX accounts_last_sign_in;
CREATE INDEX accounts_last_sign_in ON accounts (last_sign_in_month);
