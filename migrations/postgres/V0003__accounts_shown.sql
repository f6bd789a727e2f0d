-- SQLite has an index of this name. PostgreSQL finds the row by its primary key with as little work.
SELECT 1;
