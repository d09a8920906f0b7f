package mcpserver

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"engram"
)

type decodeArgs struct {
	ID    int64    `json:"id" required:"true" min:"1" alias:"observation_id"`
	Name  string   `json:"name"`
	Mode  string   `json:"mode" enum:"any,all" default:"any"`
	Limit int      `json:"limit" default:"10" min:"1" max:"50"`
	Share *float64 `json:"share" min:"0" max:"1"`
	Deep  bool     `json:"deep" default:"false"`
	Files []string `json:"files"`
	Title *string  `json:"title"`
}

func decodeInto(raw string) (in decodeArgs, got decoded, err error) {
	got, err = decode(json.RawMessage(raw), paramsOf(reflect.TypeFor[decodeArgs]()), reflect.ValueOf(&in).Elem())
	return in, got, err
}

func TestDecode(t *testing.T) {
	t.Parallel()
	half, text, empty := 0.5, "5", ""
	for _, tt := range []struct {
		name, raw string
		want      decodeArgs
		notes     string
	}{
		{"numbers", `{"id":3,"limit":5}`, decodeArgs{ID: 3, Limit: 5, Mode: "any"}, ""},
		{"numbers as text", `{"id":"3","limit":" 5 ","share":"0.5"}`, decodeArgs{ID: 3, Limit: 5, Mode: "any", Share: &half}, ""},
		{"id as replies write it", `{"id":"#12"}`, decodeArgs{ID: 12, Limit: 10, Mode: "any"}, ""},
		{"id by its other name", `{"observation_id":12}`, decodeArgs{ID: 12, Limit: 10, Mode: "any"}, ""},
		{"id null, other name set", `{"id":null,"observation_id":12}`, decodeArgs{ID: 12, Limit: 10, Mode: "any"}, ""},
		{"whole number with a point", `{"id":4.0,"limit":"7.0"}`, decodeArgs{ID: 4, Limit: 7, Mode: "any"}, ""},
		{"exponent", `{"id":1e3}`, decodeArgs{ID: 1000, Limit: 10, Mode: "any"}, ""},
		{"large id", `{"id":9007199254740993}`, decodeArgs{ID: 9007199254740993, Limit: 10, Mode: "any"}, ""},
		{"null optionals", `{"id":1,"limit":null,"share":null,"deep":null,"files":null,"title":null,"mode":null}`, decodeArgs{ID: 1, Limit: 10, Mode: "any"}, ""},
		{"empty text for a number", `{"id":1,"limit":"","share":"null"}`, decodeArgs{ID: 1, Limit: 10, Mode: "any"}, ""},
		{"booleans as text", `{"id":1,"deep":"True"}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Deep: true}, ""},
		{"boolean as number", `{"id":1,"deep":1}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Deep: true}, ""},
		{"list", `{"id":1,"files":["a","b"]}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Files: []string{"a", "b"}}, ""},
		{"list as text", `{"id":1,"files":"[\"a\", 2, null]"}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Files: []string{"a", "2"}}, ""},
		{"one for a list", `{"id":1,"files":"a b.go"}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Files: []string{"a b.go"}}, ""},
		{"number for text", `{"id":1,"title":5}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Title: &text}, ""},
		{"empty is not absent", `{"id":1,"title":""}`, decodeArgs{ID: 1, Limit: 10, Mode: "any", Title: &empty}, ""},
		{"closed set in any case", `{"id":1,"mode":" ALL "}`, decodeArgs{ID: 1, Limit: 10, Mode: "all"}, ""},
		{"closed set, empty", `{"id":1,"mode":""}`, decodeArgs{ID: 1, Limit: 10, Mode: "any"}, ""},
		{"all as text", `"{\"id\":1}"`, decodeArgs{ID: 1, Limit: 10, Mode: "any"}, ""},
		{"over the most", `{"id":1,"limit":1000000}`, decodeArgs{ID: 1, Limit: 50, Mode: "any"}, "limit was lowered to 50, the most there is"},
		{"far over the most", `{"id":1,"limit":1e300}`, decodeArgs{ID: 1, Limit: 50, Mode: "any"}, "limit was lowered to 50, the most there is"},
		{"zero", `{"id":1,"limit":0}`, decodeArgs{ID: 1, Limit: 1, Mode: "any"}, "limit was raised to 1, the least there is"},
		{"negative", `{"id":1,"limit":-5}`, decodeArgs{ID: 1, Limit: 1, Mode: "any"}, "limit was raised to 1, the least there is"},
		{"far under the least", `{"id":1,"limit":-1e300}`, decodeArgs{ID: 1, Limit: 1, Mode: "any"}, "limit was raised to 1, the least there is"},
		{
			"unknown", `{"id":1,"_meta":{},"zoo":1,"bar":2}`,
			decodeArgs{ID: 1, Limit: 10, Mode: "any"},
			"ignored unknown parameter bar, zoo; this tool takes id, name, mode, limit, share, deep, files, title",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, more, err := decodeInto(tt.raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.notes, strings.Join(more.notes, "|")); diff != "" {
				t.Errorf("notes mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, raw, code, message string }{
		{"nothing", ``, "id_required", "id is required; this tool takes id, name"},
		{"null", `null`, "id_required", "id is required"},
		{"null required", `{"id":null}`, "id_required", "id is required"},
		{"list", `[1]`, "invalid_arguments", "arguments must be a JSON object"},
		{"number", `7`, "invalid_arguments", "arguments must be a JSON object"},
		{"list as text", `"[1]"`, "invalid_arguments", "arguments must be a JSON object"},
		{"fraction for id", `{"id":1.9}`, "invalid_id", "id must be a whole number of at least 1"},
		{"words for id", `{"id":"secret words"}`, "invalid_id", "id must be a whole number of at least 1"},
		{"zero", `{"id":0}`, "invalid_id", "id must be a whole number of at least 1"},
		{"id too large", `{"id":12345678901234567890}`, "invalid_id", "id must be a whole number of at least 1"},
		{"list for id", `{"id":[1]}`, "invalid_id", "id must be a whole number of at least 1"},
		{"words for limit", `{"id":1,"limit":"ten"}`, "invalid_limit", "limit must be a whole number from 1 to 50"},
		{"NaN", `{"id":1,"share":"NaN"}`, "invalid_share", "share must be a number from 0 to 1"},
		{"object for text", `{"id":1,"name":{"a":1}}`, "invalid_name", "name must be text"},
		{"not in the set", `{"id":1,"mode":"some"}`, "invalid_mode", "mode must be one of any, all"},
		{"words for boolean", `{"id":1,"deep":"perhaps"}`, "invalid_deep", "deep must be true or false"},
		{"object in list", `{"id":1,"files":[{}]}`, "invalid_files", "files must be a list of texts"},
		{"object for list", `{"id":1,"files":{}}`, "invalid_files", "files must be a list of texts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := decodeInto(tt.raw)
			if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != tt.code || !strings.HasPrefix(err.Error(), tt.message) {
				t.Errorf("error %q [%s], want %q [%s]", err, engram.ErrorCode(err), tt.message, tt.code)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("error repeats a value: %v", err)
			}
		})
	}
}
