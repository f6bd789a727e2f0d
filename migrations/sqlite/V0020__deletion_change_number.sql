-- The place of the requested deletion in the order of changes (`credentials::next_change_number`). Undo links of earlier
-- changes cancel the deletion. NULL: no deletion was requested, or by an earlier version.
ALTER TABLE accounts ADD COLUMN deletion_change_number INTEGER;
