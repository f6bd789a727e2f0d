-- What every page shows of whoever is signed in, side by side: otherwise each look at a session reads
-- one page more of a table whose rows are long.
CREATE INDEX accounts_shown ON accounts (id, email, username);
