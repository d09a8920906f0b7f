-- Packs of vectors: whose they are and the signs of their codes, made of the rows
-- so that a start need not read these. They never say anything but what the rows do:
-- whatever changes rows that are packed, other than an erasure, drops them.
CREATE TABLE vector_packs (
	id     INTEGER PRIMARY KEY,
	model  INTEGER NOT NULL REFERENCES vector_models (id) ON DELETE CASCADE,
	min_id INTEGER NOT NULL, -- of memories
	max_id INTEGER NOT NULL,
	slots  INTEGER NOT NULL,
	data   BLOB NOT NULL -- with checksums; package keyword
) STRICT;

CREATE INDEX vector_packs_model ON vector_packs (model, id);

-- Rows that were written up to this number of the vectors' counter are in packs.
ALTER TABLE vector_models ADD COLUMN sealed INTEGER NOT NULL DEFAULT 0;

-- vector_packs counts what changed packs, and erasures: who made one of what it read
-- before must not write it.
INSERT INTO counters (name, value) VALUES ('vector_packs', 0);

CREATE TRIGGER vectors_rewritten AFTER UPDATE ON vectors
WHEN OLD.seq <= (SELECT sealed FROM vector_models WHERE id = OLD.model) AND OLD.codes <> x'' BEGIN
	DELETE FROM vector_packs WHERE model = OLD.model;
	UPDATE vector_models SET sealed = 0 WHERE id = OLD.model;
	UPDATE counters SET value = value + 1 WHERE name = 'vector_packs';
END;

CREATE TRIGGER vectors_went AFTER UPDATE ON counters
WHEN NEW.name = 'vector_generation' AND NEW.value <> OLD.value BEGIN
	DELETE FROM vector_packs;
	UPDATE vector_models SET sealed = 0;
	UPDATE counters SET value = value + 1 WHERE name = 'vector_packs';
END;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('vector_packs', 'vector_packs_model', '25 25 1');
