package rest_test

// v1Cases are the routes under /v1 doing what they are for.
var v1Cases = []routeCase{
	{"v1 health", fetch("/v1/health"), 200, []string{`"version":"1.2.3"`}, nil},
	{"v1 stats", fetch("/v1/stats"), 200, []string{`"memories":3`, `"deleted":1`, `"prompts":1`, `"by_type":{`, `"preference":1`, `"schema_version":`}, nil},
	{"v1 doctor", fetch("/v1/doctor"), 200, []string{`"checks":[{"check":"`}, nil},
	{"v1 document", fetch("/v1/openapi.json"), 200, []string{`"openapi":"3.1.0"`, `"/v1/memories/{id}":{`}, nil},
	{"v1 page", fetch("/v1/docs"), 200, []string{"<title>Engram API</title>"}, nil},

	{"v1 list", fetch("/v1/memories?project=alpha"), 200, []string{`{"items":[{"id":2,`, `"id":1`, `"next_cursor":""`, `"truncated":true`}, []string{`"id":3`, `"id":4`, "the end"}},
	{"v1 first page", fetch("/v1/memories?limit=1"), 200, []string{`"id":4`, `"next_cursor":"`}, []string{`"id":2`, `"next_cursor":""`}},
	{"v1 list of types", fetch("/v1/memories?type=task&type=preference"), 200, []string{`"id":1`, `"id":4`}, []string{`"id":2`}},
	{"v1 list of nothing", fetch("/v1/memories?project=nowhere"), 200, []string{`{"items":[],"next_cursor":""}`}, nil},
	{"v1 deleted ones", fetch("/v1/memories?deleted=only"), 200, []string{`"id":3`, `"deleted_at":"20`}, []string{`"id":1`}},
	{"v1 open tasks", fetch("/v1/memories?open_tasks=true&order=activity"), 200, []string{`"id":4`, `"status":"open"`}, []string{`"id":1`}},
	{"v1 pinned ones", fetch("/v1/memories?pinned=1&session_id=s1&since=2020-01-01&until=2100-01-01T00:00:00Z&order=occurred"), 200, []string{`"id":1`}, []string{`"id":2`}},
	{
		"v1 save", post("/v1/memories", `{"content":"milk goes in first","type":"preference","project":"alpha"}`), 201,
		[]string{`"id":5`, `"uid":"`, `"outcome":"created"`, `"project":"alpha"`, `"session_id":"manual-save-alpha"`, `"suggested_topic_key":"preference/`, `"revision_count":1`, `"redacted":[]`},
		nil,
	},
	{
		"v1 save a duplicate", post("/v1/memories", `{"title":"Drinks","content":"tea, not coffee","type":"preference","project":"alpha"}`), 200,
		[]string{`"id":1`, `"outcome":"duplicate"`},
		nil,
	},
	{
		"v1 save everything", post("/v1/memories", `{"content":"C","title":"T","type":"task","project":"p","scope":"global","session_id":"x","topic_key":"a/b","tool_name":"t",`+
			`"speaker":"Ann","role":"user","occurred_at":"2026-05-08T14:30:00+02:00","importance":0.25,"pinned":true,"status":"open","files":["a.go"],"origin":"web"}`), 201,
		[]string{`"topic_key":"a/b"`},
		nil,
	},
	{"v1 get", fetch("/v1/memories/2"), 200, []string{`"id":2`, "the end", `"origin":"agent"`, `"trust":2`, `"version":1`, `"pinned":false`}, []string{"truncated"}},
	{"v1 change", patch("/v1/memories/1", `{"content":"coffee","importance":1,"files":[]}`), 200, []string{`"content":"coffee"`, `"version":2`, `"importance":1`}, nil},
	{"v1 change to a secret", patch("/v1/memories/1", `{"content":"key `+awsKey+`"}`), 200, []string{`"redacted":["aws-key"]`}, []string{awsKey}},
	{"v1 delete", del("/v1/memories/1"), 200, []string{`"id":1`, `"hard":false`, `"memories":1`, `"copies":[]`}, nil},
	{"v1 erase", del("/v1/memories/1?hard=true"), 200, []string{`"hard":true`, `"memories":1`}, nil},
	{"v1 history", fetch("/v1/memories/1/history"), 200, []string{`{"items":[{"id":1,`, `"version":1`}, nil},
	{"v1 restore", post("/v1/memories/3/restore", ""), 200, []string{`"id":3`}, []string{"deleted_at"}},
	{"v1 pin", put("/v1/memories/2/pin"), 200, []string{`"pinned":true`}, nil},
	{"v1 unpin", del("/v1/memories/1/pin"), 200, []string{`"pinned":false`}, nil},
	{"v1 timeline", fetch("/v1/memories/1/timeline?before=1&after=1"), 200, []string{`{"focus":{"id":1,`, `"before":[]`, `"after":[{"id":2,`, `"session":{"id":"s1"`, `"total":2`}, nil},
	{"v1 capture", post("/v1/capture", `{"content":"## Learnings\n- the kettle boils at a hundred degrees","project":"alpha"}`), 200, []string{`"extracted":1`, `"saved":1`, `"ids":[5]`}, nil},
	{"v1 capture of nothing", post("/v1/capture", `{"content":"nothing to learn"}`), 200, []string{`"extracted":0`, `"ids":[]`}, nil},
	{"v1 topic key", post("/v1/topic-key", `{"type":"bugfix","title":"Nil map"}`), 200, []string{`"topic_key":"bug/nil-map"`}, nil},
	{"v1 context", fetch("/v1/context?project=alpha&max_bytes=100000&compact=false"), 200, []string{`"text":"`, "Drinks", `"pinned":1`, `"project":"alpha"`}, nil},

	{"v1 sessions", fetch("/v1/sessions?limit=5"), 200, []string{`{"items":[`, `"id":"s1"`, `"memory_count":2`}, nil},
	{"v1 no sessions", fetch("/v1/sessions?project=nowhere"), 200, []string{`{"items":[],"next_cursor":""}`}, nil},
	{"v1 start a session", post("/v1/sessions", `{"id":"s2"}`), 201, []string{`"id":"s2"`, `"status":"active"`}, nil},
	{"v1 start it again", post("/v1/sessions", `{"id":"s1","project":"zeta"}`), 200, []string{`"id":"s1"`, `"project":"alpha"`}, nil},
	{"v1 session", fetch("/v1/sessions/s1"), 200, []string{`"id":"s1"`}, nil},
	{"v1 end", post("/v1/sessions/s1/end", `{"summary":"done"}`), 200, []string{`"status":"ended"`, `"summary":"done"`, `"ended_at":"20`}, nil},
	{"v1 end with a secret", post("/v1/sessions/s1/end", `{"summary":"key `+awsKey+`"}`), 200, []string{`"redacted":["aws-key"]`}, []string{awsKey}},
	{"v1 end without a body", post("/v1/sessions/s1/end", ""), 200, []string{`"status":"ended"`}, nil},
	{"v1 remove a session", del("/v1/sessions/empty"), 200, []string{`"status":"deleted"`}, nil},
	{"v1 summary", post("/v1/sessions/s1/summary", `{"content":"we chose tea"}`), 201, []string{`"type":"session_summary"`, `"session_id":"s1"`, `"project":"alpha"`}, nil},

	{"v1 prompt with a secret", post("/v1/prompts", `{"content":"key `+awsKey+`"}`), 201, []string{`"redacted":["aws-key"]`}, []string{awsKey}},
	{"v1 prompts", fetch("/v1/prompts"), 200, []string{`{"items":[{"id":1,`, "in the morning"}, nil},
	{"v1 prompts with words", fetch("/v1/prompts?query=morning&project=alpha&limit=3"), 200, []string{`"id":1`}, nil},
	{"v1 prompts without them", fetch("/v1/prompts?query=zeppelin"), 200, []string{`"items":[]`}, nil},
	{"v1 save a prompt", post("/v1/prompts", `{"content":"why?"}`), 201, []string{`"id":2`, `"session_id":"manual-save"`}, nil},
	{"v1 one prompt", fetch("/v1/prompts/1"), 200, []string{`{"id":1,"uid":`, `"content":"what should I drink in the morning?"`}, []string{"truncated"}},
	{"v1 erase a prompt", del("/v1/prompts/1"), 200, []string{`"status":"deleted"`}, nil},

	{"v1 projects", fetch("/v1/projects"), 200, []string{`"name":"alpha"`, `"memories":2`, `"aliases":[]`, `"next_cursor":""`}, nil},
	{"v1 project of a directory", fetch("/v1/projects/current?cwd=/src/found"), 200, []string{`"name":"found"`, `"source":"dir_basename"`}, nil},
	{"v1 merge", post("/v1/projects/merge", `{"from":"alpha","to":"omega"}`), 200, []string{`"moved":`}, []string{`"moved":0`}},
	{"v1 unmerge", post("/v1/projects/unmerge", `{"from":"beta-old"}`), 200, []string{`{"moved":1}`}, nil},

	{"v1 export", fetch("/v1/export"), 200, []string{"the end", "in the morning"}, nil},
	{"v1 export of a project", fetch("/v1/export?format=wire&project=beta"), 200, []string{`"observations": [`, `"id":"empty"`}, []string{"the end"}},
	{"v1 import", post("/v1/import", oneObservation), 200, []string{`"memories":1`, `"skipped":0`, `"dry_run":false`, `"version":"0.1.0"`}, nil},
	{"v1 import on trial", post("/v1/import?dry_run=true", oneObservation), 200, []string{`"memories":1`, `"dry_run":true`}, nil},
}

const oneObservation = `{"version":"0.1.0","exported_at":"2026-02-01 10:00:00","sessions":[],` +
	`"observations":[{"id":7,"session_id":"old","type":"decision","title":"T","content":"C","scope":"project","created_at":"2026-02-01 09:30:00","updated_at":"2026-02-01 09:30:00"}],"prompts":[]}`

// v1ErrorCases are the routes under /v1 refusing.
var v1ErrorCases = []routeCase{
	{"v1 an unknown field", post("/v1/memories", `{"content":"C","projct":"p"}`), 400, []string{`"code":"unknown_field"`, "projct", "session_id"}, nil},
	{"v1 a field in capitals", post("/v1/memories", `{"Content":"C","content":"D"}`), 400, []string{`"code":"unknown_field"`}, nil},
	{"v1 an unknown parameter", fetch("/v1/memories?projct=p"), 400, []string{`"code":"unknown_parameter"`, "projct", "cursor"}, nil},
	{"v1 no content", post("/v1/memories", `{"title":"T"}`), 400, []string{`"code":"content_required"`}, nil},
	{"v1 an unknown scope", post("/v1/memories", `{"content":"C","scope":"team"}`), 400, []string{`"code":"invalid_scope"`, `"hint":"use project, personal, global"`}, nil},
	{"v1 a wrong type", post("/v1/memories", `{"content":"C","pinned":"yes"}`), 400, []string{`"code":"invalid_type"`, "pinned must be a boolean, not a string"}, nil},
	{"v1 a wrong item", post("/v1/memories", `{"content":"C","files":[1]}`), 400, []string{`"code":"invalid_type"`, "files"}, nil},
	{"v1 not found", fetch("/v1/memories/999"), 404, []string{`"code":"unknown_id"`, `"request_id":"`}, nil},
	{"v1 delete of an unknown one", del("/v1/memories/999"), 404, []string{`"code":"unknown_id"`}, nil},
	{"v1 history of an unknown one", fetch("/v1/memories/999/history"), 404, []string{`"code":"unknown_id"`}, nil},
	{"v1 history of an erased id", fetch("/v1/memories/x/history"), 400, []string{`"code":"invalid_id"`}, nil},
	{"v1 a wrong cursor", fetch("/v1/memories?cursor=zzz"), 400, []string{`"code":"invalid_cursor"`}, nil},
	{"v1 a wrong order", fetch("/v1/memories?order=random"), 400, []string{`"code":"invalid_order"`, "created, activity, occurred"}, nil},
	{"v1 a wrong time", fetch("/v1/memories?since=soon"), 400, []string{`"code":"invalid_time"`, "since"}, nil},
	{"v1 a negative limit in a body", post("/v1/search", `{"query":"tea","limit":-1}`), 400, []string{`"code":"invalid_parameter"`}, nil},
	{"v1 a search for nothing", post("/v1/search", `{}`), 400, []string{`"code":"query_required"`}, nil},
	{"v1 a recall for nothing", post("/v1/recall", `{"query":""}`), 400, []string{`"code":"query_required"`}, nil},
	{"v1 a session without an id", post("/v1/sessions", `{}`), 400, []string{`"code":"id_required"`}, nil},
	{"v1 end of an unknown session", post("/v1/sessions/nobody/end", ""), 404, []string{`"code":"unknown_session"`}, nil},
	{"v1 remove a session with memories", del("/v1/sessions/s1"), 409, []string{`"code":"session_not_empty"`, `"hint":"erase them first, or restore`}, nil},
	{"v1 merge into itself", post("/v1/projects/merge", `{"from":"alpha","to":"Alpha"}`), 400, []string{`"code":"merge_into_itself"`}, nil},
	{"v1 merge of nothing", post("/v1/projects/merge", `{"to":"alpha"}`), 400, []string{`"code":"from_required"`}, nil},
	{"v1 unmerge of what was not merged", post("/v1/projects/unmerge", `{"from":"alpha"}`), 404, []string{`"code":"not_merged"`}, nil},
	{"v1 export in an unknown form", fetch("/v1/export?format=xml"), 400, []string{`"code":"invalid_format"`}, nil},
	{"v1 import of a list", post("/v1/import", `[1,2]`), 400, []string{`"code":"invalid_import"`}, nil},
}
