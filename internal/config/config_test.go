package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/config"
)

func load(t *testing.T, toml string, env map[string]string) (config.Config, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".engram")
	if toml != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(toml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(func(k string) string { return env[k] }, home, "")
}

func TestDefaultsThenFileThenEnvironment(t *testing.T) {
	t.Parallel()
	c, err := load(t, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(c.DataDir) != ".engram" || c.Port != 7437 || !c.LocalAuth || c.DuplicateWindow != 15*time.Minute {
		t.Errorf("defaults: %+v", c)
	}
	c, err = load(t, "port = 9000\nproject = 'file'\nlocal_auth = false\nsession_idle = '2h'\ntime_zone = 'Asia/Tokyo'\n",
		map[string]string{"ENGRAM_PORT": "9001"})
	if err != nil {
		t.Fatal(err)
	}
	if c.Port != 9001 || c.Project != "file" || c.LocalAuth || c.SessionIdle != 2*time.Hour || c.Zone.String() != "Asia/Tokyo" {
		t.Errorf("file and environment: %+v", c)
	}
}

func TestDataDirFromFlagBeatsEnvironment(t *testing.T) {
	t.Parallel()
	flag := t.TempDir()
	env := map[string]string{"ENGRAM_DATA_DIR": "/elsewhere"}
	c, err := config.Load(func(name string) string { return env[name] }, "", flag)
	if err != nil || c.DataDir != flag {
		t.Errorf("DataDir = %q, %v, want %q", c.DataDir, err, flag)
	}
}

func TestBadSettingsSayWhereTheyStand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, toml string
		env        map[string]string
		want       string
	}{
		{"unknown setting", "prot = 1\n", nil, `"prot" is not known`},
		{"broken file", "port = \n", nil, "line 1"},
		{"wrong type", "port = 'x'\n", nil, "line 1"},
		{"a text for a number", "project = 'a'\nport = 'x'\n", nil, `config.toml: line 2, column 8: setting "port" must be a whole number`},
		{"a fraction", "port = 1.5\n", nil, `setting "port" must be a whole number`},
		{"a table for a number", "[port]\nx = 1\n", nil, `setting "port" must be a whole number`},
		{"a number for a switch", "local_auth = 1\n", nil, `setting "local_auth" must be true or false`},
		{"a list for a text", "project = ['a']\n", nil, `setting "project" must be a text in quotation marks`},
		{"a list of numbers", "hosts = [1]\n", nil, `setting "hosts" must be a list of texts`},
		{"twice", "port = 1\nport = 2\n", nil, "line 2, column 1: key port is already defined"},
		{"blank project", "project = ' '\n", nil, "project is"},
		{"blank project in environment", "", map[string]string{"ENGRAM_PROJECT": " "}, "project is"},
		{"duration", "session_idle = 'soon'\n", nil, "session_idle"},
		{"zone", "time_zone = 'Mars/Base'\n", nil, "time_zone"},
		{"port in environment", "", map[string]string{"ENGRAM_PORT": "http"}, "ENGRAM_PORT"},
		{"port range", "", map[string]string{"ENGRAM_PORT": "70000"}, "65535"},
		{"switch", "", map[string]string{"ENGRAM_LOCAL_AUTH": "perhaps"}, "on or off"},
		{"level", "", map[string]string{"ENGRAM_LOG_LEVEL": "loud"}, "debug, info"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := load(t, tc.toml, tc.env)
			if !errors.Is(err, engram.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want invalid with %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "config.file") || strings.Contains(err.Error(), "[]string") {
				t.Errorf("%v speaks of how the program is made", err)
			}
		})
	}
}
