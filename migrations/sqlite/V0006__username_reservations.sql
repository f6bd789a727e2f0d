-- Usernames of registrations in profile strict, whether their address was free or taken: a second registration
-- of one name is refused alike. Removed with `lifetimes.unverified_account`.
CREATE TABLE username_reservations (
  username_key TEXT    NOT NULL PRIMARY KEY,
  reserved_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS username_reservations_age ON username_reservations (reserved_at);
