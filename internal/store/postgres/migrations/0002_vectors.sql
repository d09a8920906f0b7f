-- A vector of the built-in table, as codes, and the tokens of each document.
ALTER TABLE documents
	ADD COLUMN tokens    BYTEA NOT NULL DEFAULT '', -- two bytes each, the lower one first
	ADD COLUMN embedding HALFVEC(256); -- NULL = the table knows no word of it

CREATE INDEX documents_embedding ON documents USING hnsw (embedding halfvec_cosine_ops);
