-- Packs of vectors are of the embedded engine: here pgvector has an index.
SELECT 1;
