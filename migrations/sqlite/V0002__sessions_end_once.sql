-- A session's idle end is never later than its absolute one, so the sweep needs one index, not two.
DROP INDEX sessions_expiry;
