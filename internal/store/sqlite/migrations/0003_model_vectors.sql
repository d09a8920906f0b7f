-- Vectors of models that are asked over a network, which cannot be made again in
-- microseconds as those of the built-in table can.
CREATE TABLE vector_models (
	id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	name    TEXT NOT NULL UNIQUE,
	dim     INTEGER NOT NULL,
	recipe  TEXT NOT NULL,
	used_at INTEGER NOT NULL,
	done    INTEGER NOT NULL DEFAULT 0 -- memories written up to this seq have a row
) STRICT;

CREATE TABLE vectors (
	id        INTEGER PRIMARY KEY,
	memory_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
	version   INTEGER NOT NULL,
	model     INTEGER NOT NULL REFERENCES vector_models (id),
	seq       INTEGER NOT NULL, -- of the vectors' own counter
	checksum  INTEGER NOT NULL,
	failed    TEXT NOT NULL DEFAULT '', -- why there is none
	codes     BLOB NOT NULL, -- int8 each, as package vector makes them; empty = the text says nothing to the model
	UNIQUE (memory_id, version, model)
) STRICT;

CREATE INDEX vectors_seq ON vectors (model, seq);
CREATE INDEX vectors_failed ON vectors (model) WHERE failed <> '';

-- vector_generation counts what took vectors away other than with their memory.
INSERT INTO counters (name, value) VALUES ('vector_seq', 0), ('vector_generation', 0);

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('vectors', 'sqlite_autoindex_vectors_1', '100000 2 2 1'),
	('vectors', 'vectors_seq', '100000 50000 32'),
	('vectors', 'vectors_failed', '100 50');
