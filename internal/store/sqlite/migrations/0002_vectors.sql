-- Segments of the document index hold a vector and the tokens of each memory.
-- Those that have none are dropped: their memories are indexed again.
DELETE FROM keyword_segments;

ALTER TABLE keyword_segments ADD COLUMN vectors BLOB NOT NULL DEFAULT x'';

UPDATE counters SET value = 0 WHERE name = 'keyword_seq';

UPDATE counters SET value = value + 1 WHERE name = 'keyword_generation';
