package rest_test

import (
	"net/url"
	"strings"
	"testing"
)

// TestRestoreWithoutItsTopicKey: a memory that cannot have its key back says so,
// in either form of the API.
func TestRestoreWithoutItsTopicKey(t *testing.T) {
	t.Parallel()
	h := routesAPI(t)
	for _, tt := range []struct{ id, restore string }{
		{"5", "/v1/memories/5/restore"},
		{"7", "/observations/7/restore"},
	} {
		id, restore := tt.id, tt.restore
		key := "rule/" + id
		body := func(content string) string {
			return `{"title":"A rule","content":"` + content + ` ` + id + `","project":"rules","topic_key":"` + key + `"}`
		}
		do(t, h, post("/v1/memories", body("old")))
		do(t, h, del("/v1/memories/"+id))
		do(t, h, post("/v1/memories", body("new")))
		w := do(t, h, post(restore, ""))
		warned, err := url.PathUnescape(w.Header().Get("X-Engram-Warnings"))
		if err != nil {
			t.Fatal(err)
		}
		if said := w.Body.String() + warned; w.Code != 200 || !strings.Contains(said, key) {
			t.Errorf("%s answered %d: %s\nwarnings: %s", restore, w.Code, w.Body, warned)
		}
	}
}
