-- The hash of the device cookie that reserved the name: its browser may register it again within an hour. NULL: reserved
-- by an earlier version.
ALTER TABLE username_reservations ADD COLUMN device_hash BLOB;
