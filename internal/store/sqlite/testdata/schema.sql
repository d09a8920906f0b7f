CREATE TRIGGER memories_delete AFTER DELETE ON memories BEGIN
	UPDATE memory_counts SET living = living - (OLD.deleted_at IS NULL), deleted = deleted - (OLD.deleted_at IS NOT NULL)
	WHERE workspace = OLD.workspace AND project = OLD.project AND scope = OLD.scope AND type = OLD.type;
	DELETE FROM memory_counts
	WHERE workspace = OLD.workspace AND project = OLD.project AND scope = OLD.scope AND type = OLD.type
		AND living = 0 AND deleted = 0;
	UPDATE sessions SET memories = memories - 1
	WHERE workspace = OLD.workspace AND id = OLD.session AND OLD.deleted_at IS NULL;
END;

CREATE TRIGGER memories_insert AFTER INSERT ON memories BEGIN
	INSERT INTO memory_counts (workspace, project, scope, type, living, deleted)
	VALUES (NEW.workspace, NEW.project, NEW.scope, NEW.type, NEW.deleted_at IS NULL, NEW.deleted_at IS NOT NULL)
	ON CONFLICT DO UPDATE SET living = living + excluded.living, deleted = deleted + excluded.deleted;
	UPDATE sessions SET memories = memories + 1
	WHERE workspace = NEW.workspace AND id = NEW.session AND NEW.deleted_at IS NULL;
END;

CREATE TRIGGER memories_update AFTER UPDATE OF project, scope, type, session, deleted_at ON memories
WHEN OLD.project <> NEW.project OR OLD.scope <> NEW.scope OR OLD.type <> NEW.type
	OR OLD.session IS NOT NEW.session OR (OLD.deleted_at IS NULL) <> (NEW.deleted_at IS NULL)
BEGIN
	UPDATE memory_counts SET living = living - (OLD.deleted_at IS NULL), deleted = deleted - (OLD.deleted_at IS NOT NULL)
	WHERE workspace = OLD.workspace AND project = OLD.project AND scope = OLD.scope AND type = OLD.type;
	INSERT INTO memory_counts (workspace, project, scope, type, living, deleted)
	VALUES (NEW.workspace, NEW.project, NEW.scope, NEW.type, NEW.deleted_at IS NULL, NEW.deleted_at IS NOT NULL)
	ON CONFLICT DO UPDATE SET living = living + excluded.living, deleted = deleted + excluded.deleted;
	DELETE FROM memory_counts
	WHERE workspace = OLD.workspace AND project = OLD.project AND scope = OLD.scope AND type = OLD.type
		AND living = 0 AND deleted = 0;
	UPDATE sessions SET memories = memories - 1
	WHERE workspace = OLD.workspace AND id = OLD.session AND OLD.deleted_at IS NULL;
	UPDATE sessions SET memories = memories + 1
	WHERE workspace = NEW.workspace AND id = NEW.session AND NEW.deleted_at IS NULL;
END;

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

CREATE TABLE counters (
	name  TEXT PRIMARY KEY,
	value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	workspace    TEXT NOT NULL,
	kind         TEXT NOT NULL,
	payload      TEXT NOT NULL,
	unique_key   TEXT NOT NULL DEFAULT '',
	state        TEXT NOT NULL,
	attempts     INTEGER NOT NULL DEFAULT 0,
	max_attempts INTEGER NOT NULL,
	run_at       INTEGER NOT NULL,
	leased_until INTEGER,
	last_error   TEXT NOT NULL DEFAULT '',
	created_at   INTEGER NOT NULL,
	finished_at  INTEGER
) STRICT;

CREATE TABLE keyword_segments (
	id       INTEGER PRIMARY KEY,
	min_id   INTEGER NOT NULL,
	max_id   INTEGER NOT NULL,
	docs     INTEGER NOT NULL,
	columns  BLOB NOT NULL,
	postings BLOB NOT NULL,
	checksum INTEGER NOT NULL
, vectors BLOB NOT NULL DEFAULT x'') STRICT;

CREATE TABLE leases (
	name       TEXT PRIMARY KEY,
	holder     TEXT NOT NULL,
	expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memories (
	id              INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	uid             TEXT NOT NULL,
	workspace       TEXT NOT NULL REFERENCES workspaces (id),
	seq             INTEGER NOT NULL, -- of the last write that a search could see
	version         INTEGER NOT NULL,
	kind            TEXT NOT NULL,
	type            TEXT NOT NULL,
	project         TEXT NOT NULL,
	project_origin  TEXT NOT NULL DEFAULT '', -- before a merge of projects
	scope           TEXT NOT NULL,
	session         TEXT,
	topic_key       TEXT NOT NULL DEFAULT '',
	topic_origin    TEXT NOT NULL DEFAULT '', -- a key that a merge of projects took away
	hash            TEXT NOT NULL,
	importance      REAL NOT NULL DEFAULT 0,
	pinned          INTEGER NOT NULL DEFAULT 0,
	origin          TEXT NOT NULL DEFAULT '',
	trust           INTEGER NOT NULL DEFAULT 0,
	status          TEXT NOT NULL DEFAULT '',
	revision_count  INTEGER NOT NULL DEFAULT 1,
	duplicate_count INTEGER NOT NULL DEFAULT 1,
	access_count    INTEGER NOT NULL DEFAULT 0,
	occurred_at     INTEGER NOT NULL,
	valid_from      INTEGER,
	valid_to        INTEGER,
	recorded_at     INTEGER NOT NULL, -- of the current version
	invalidated_at  INTEGER,
	superseded_by   INTEGER,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	last_seen_at    INTEGER NOT NULL,
	last_accessed   INTEGER,
	deleted_at      INTEGER,
	speaker         TEXT NOT NULL DEFAULT '',
	role            TEXT NOT NULL DEFAULT '',
	tool_name       TEXT NOT NULL DEFAULT '',
	files           TEXT NOT NULL DEFAULT '', -- JSON array, '' = none
	title           TEXT NOT NULL,
	content         TEXT NOT NULL,
	UNIQUE (workspace, uid),
	FOREIGN KEY (workspace, session) REFERENCES sessions (workspace, id)
) STRICT;

CREATE TABLE memory_counts (
	workspace TEXT NOT NULL,
	project   TEXT NOT NULL,
	scope     TEXT NOT NULL,
	type      TEXT NOT NULL,
	living    INTEGER NOT NULL,
	deleted   INTEGER NOT NULL,
	PRIMARY KEY (workspace, project, scope, type)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_versions (
	memory_id      INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
	version        INTEGER NOT NULL,
	uid            TEXT NOT NULL,
	workspace      TEXT NOT NULL,
	seq            INTEGER NOT NULL, -- of the write that closed it
	kind           TEXT NOT NULL,
	type           TEXT NOT NULL,
	project        TEXT NOT NULL,
	project_origin TEXT NOT NULL,
	scope          TEXT NOT NULL,
	session        TEXT,
	topic_key      TEXT NOT NULL,
	hash           TEXT NOT NULL,
	importance     REAL NOT NULL,
	pinned         INTEGER NOT NULL,
	origin         TEXT NOT NULL,
	trust          INTEGER NOT NULL,
	status         TEXT NOT NULL,
	revision_count INTEGER NOT NULL,
	duplicate_count INTEGER NOT NULL,
	occurred_at    INTEGER NOT NULL,
	valid_from     INTEGER,
	valid_to       INTEGER,
	recorded_at    INTEGER NOT NULL,
	invalidated_at INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	last_seen_at   INTEGER NOT NULL,
	speaker        TEXT NOT NULL,
	role           TEXT NOT NULL,
	tool_name      TEXT NOT NULL,
	files          TEXT NOT NULL,
	title          TEXT NOT NULL,
	content        TEXT NOT NULL,
	PRIMARY KEY (memory_id, version)
) STRICT;

CREATE TABLE project_aliases (
	workspace  TEXT NOT NULL REFERENCES workspaces (id),
	alias      TEXT NOT NULL,
	project    TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (workspace, alias)
) STRICT, WITHOUT ROWID;

CREATE TABLE project_remotes (
	workspace TEXT NOT NULL REFERENCES workspaces (id),
	remote    TEXT NOT NULL,
	project   TEXT NOT NULL,
	PRIMARY KEY (workspace, remote)
) STRICT, WITHOUT ROWID;

CREATE TABLE prompt_terms (
	workspace TEXT NOT NULL,
	term      TEXT NOT NULL,
	prompt_id INTEGER NOT NULL REFERENCES prompts (id) ON DELETE CASCADE,
	PRIMARY KEY (workspace, term, prompt_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE prompts (
	id             INTEGER PRIMARY KEY AUTOINCREMENT,
	uid            TEXT NOT NULL,
	workspace      TEXT NOT NULL REFERENCES workspaces (id),
	session        TEXT,
	project        TEXT NOT NULL,
	project_origin TEXT NOT NULL DEFAULT '',
	created_at     INTEGER NOT NULL,
	content        TEXT NOT NULL,
	UNIQUE (workspace, uid),
	FOREIGN KEY (workspace, session) REFERENCES sessions (workspace, id)
) STRICT;

CREATE TABLE sessions (
	workspace      TEXT NOT NULL REFERENCES workspaces (id),
	id             TEXT NOT NULL,
	project        TEXT NOT NULL,
	project_origin TEXT NOT NULL DEFAULT '',
	status         TEXT NOT NULL,
	started_at     INTEGER NOT NULL,
	ended_at       INTEGER,
	last_seen      INTEGER NOT NULL,
	memories       INTEGER NOT NULL DEFAULT 0, -- living ones; kept by triggers
	directory      TEXT NOT NULL DEFAULT '',
	summary        TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (workspace, id)
) STRICT;

CREATE TABLE settings (
	workspace TEXT NOT NULL,
	name      TEXT NOT NULL,
	value     TEXT NOT NULL,
	PRIMARY KEY (workspace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE supports (
	derived INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
	source  INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
	PRIMARY KEY (derived, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
	memory_id INTEGER PRIMARY KEY,
	workspace TEXT NOT NULL,
	uid       TEXT NOT NULL,
	erased_at INTEGER NOT NULL,
	seq       INTEGER NOT NULL
) STRICT;

CREATE TABLE vector_models (
	id      INTEGER PRIMARY KEY AUTOINCREMENT, -- never given twice
	name    TEXT NOT NULL UNIQUE,
	dim     INTEGER NOT NULL,
	recipe  TEXT NOT NULL,
	used_at INTEGER NOT NULL,
	done    INTEGER NOT NULL DEFAULT 0 -- memories written up to this seq have a row
, sealed INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE TABLE vector_packs (
	id     INTEGER PRIMARY KEY,
	model  INTEGER NOT NULL REFERENCES vector_models (id) ON DELETE CASCADE,
	min_id INTEGER NOT NULL, -- of memories
	max_id INTEGER NOT NULL,
	slots  INTEGER NOT NULL,
	data   BLOB NOT NULL -- with checksums; package keyword
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

CREATE TABLE workspaces (
	id         TEXT PRIMARY KEY,
	created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX jobs_due ON jobs (kind, run_at) WHERE state IN ('waiting', 'running');

CREATE UNIQUE INDEX jobs_unique ON jobs (workspace, kind, unique_key)
	WHERE unique_key <> '' AND state IN ('waiting', 'running');

CREATE INDEX memories_activity ON memories (workspace, updated_at);

CREATE INDEX memories_all_type_activity ON memories (workspace, type, updated_at);

CREATE INDEX memories_created ON memories (workspace, created_at);

CREATE INDEX memories_deleted ON memories (workspace, deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX memories_hash ON memories (workspace, hash, last_seen_at) WHERE deleted_at IS NULL;

CREATE INDEX memories_occurred ON memories (workspace, occurred_at);

CREATE INDEX memories_pinned ON memories (workspace, project, updated_at) WHERE pinned = 1;

CREATE INDEX memories_project_activity ON memories (workspace, project, updated_at);

CREATE INDEX memories_project_created ON memories (workspace, project, created_at);

CREATE INDEX memories_project_occurred ON memories (workspace, project, occurred_at);

CREATE INDEX memories_scope ON memories (workspace, scope, updated_at) WHERE scope <> 'project';

CREATE INDEX memories_seq ON memories (seq);

CREATE INDEX memories_session ON memories (workspace, session, occurred_at) WHERE session IS NOT NULL;

CREATE INDEX memories_superseded ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE INDEX memories_tasks ON memories (workspace, project, updated_at) WHERE type = 'task' AND status <> 'done';

CREATE UNIQUE INDEX memories_topic ON memories (workspace, topic_key, project, scope)
	WHERE topic_key <> '' AND deleted_at IS NULL;

CREATE INDEX memories_type_activity ON memories (workspace, type, project, updated_at);

CREATE INDEX memory_versions_known ON memory_versions (workspace, project, recorded_at);

CREATE INDEX memory_versions_seq ON memory_versions (seq);

CREATE INDEX project_remotes_project ON project_remotes (workspace, project);

CREATE INDEX prompt_terms_prompt ON prompt_terms (prompt_id);

CREATE INDEX prompts_created ON prompts (workspace, created_at);

CREATE INDEX prompts_project_created ON prompts (workspace, project, created_at);

CREATE INDEX prompts_session ON prompts (workspace, session) WHERE session IS NOT NULL;

CREATE INDEX sessions_project_seen ON sessions (workspace, project, last_seen, id);

CREATE INDEX sessions_seen ON sessions (workspace, last_seen, id);

CREATE INDEX supports_source ON supports (source);

CREATE INDEX tombstones_seq ON tombstones (seq);

CREATE INDEX tombstones_uid ON tombstones (workspace, uid);

CREATE INDEX vector_packs_model ON vector_packs (model, id);

CREATE INDEX vectors_failed ON vectors (model) WHERE failed <> '';

CREATE INDEX vectors_seq ON vectors (model, seq);

