// Package config reads the settings: defaults, then config.toml in the data
// directory, then the environment; flags, last, are set by the command that has
// them. What a setting does is the affair of the part that it is handed to.
package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"engram"
	"engram/internal/remote"

	"github.com/pelletier/go-toml/v2"
)

// Config holds every setting of the program.
type Config struct {
	DataDir         string         // where memory.db, config.toml, token and backups live
	DatabaseURL     remote.Key     // of a PostgreSQL database that is the store, "" = memory.db
	Project         string         // ENGRAM_PROJECT, "" = found from the directory
	Addr            string         // host that `engram serve` listens on
	Port            int            // and its port; 0 = any free one
	LocalAuth       bool           // the REST API asks for the local token
	Hosts           []string       // further Host names that the REST API answers to
	Origins         []string       // further Origins that may call it
	MaxContent      int            // bytes
	DuplicateWindow time.Duration  // of the duplicate rule
	SessionIdle     time.Duration  // after which a session lapses
	RedactSecrets   bool           // credentials in texts are redacted at write
	Zone            *time.Location // of the user, for dates in questions and display
	Synchronous     string         // normal or full: how hard SQLite pushes a commit to the disk
	LogLevel        string         // debug, info, warn, error
	Embedder        Embedder
	Reranker        Reranker
}

// file is config.toml; a nil field is not set there.
type file struct {
	DatabaseURL     *string  `toml:"database_url"`
	Project         *string  `toml:"project"`
	Addr            *string  `toml:"addr"`
	Port            *int     `toml:"port"`
	LocalAuth       *bool    `toml:"local_auth"`
	Hosts           []string `toml:"hosts"`
	Origins         []string `toml:"origins"`
	MaxContent      *int     `toml:"max_content"`
	DuplicateWindow *string  `toml:"duplicate_window"`
	SessionIdle     *string  `toml:"session_idle"`
	RedactSecrets   *bool    `toml:"redact_secrets"`
	TimeZone        *string  `toml:"time_zone"`
	Synchronous     *string  `toml:"synchronous"`
	LogLevel        *string  `toml:"log_level"`

	embedderFile
	rerankerFile
}

// Load reads the settings. getenv is os.Getenv, or a test's; dataDir is the
// flag's, "" = from the environment, else .engram in home. A value that cannot
// be used is [engram.ErrInvalid] and names where it stands.
func Load(getenv func(string) string, home, dataDir string) (Config, error) {
	c := Config{
		DataDir: dataDir, Addr: "127.0.0.1", Port: 7437, LocalAuth: true,
		MaxContent: engram.DefaultMaxContent, DuplicateWindow: 15 * time.Minute,
		SessionIdle: engram.DefaultSessionIdle, RedactSecrets: true,
		Zone: time.Local, Synchronous: "normal", LogLevel: "info",
	}
	if c.DataDir == "" {
		c.DataDir = getenv("ENGRAM_DATA_DIR")
	}
	if c.DataDir == "" {
		if home == "" {
			return c, engram.Errorf(engram.ErrInvalid, "no home directory").
				WithCode("no_home").WithHint("set ENGRAM_DATA_DIR to a directory for the memory")
		}
		c.DataDir = filepath.Join(home, ".engram")
	}
	dir, err := filepath.Abs(c.DataDir)
	if err != nil {
		return c, engram.Errorf(engram.ErrInvalid, "data directory %q: %v", c.DataDir, err)
	}
	c.DataDir = dir
	if err := c.readFile(filepath.Join(c.DataDir, "config.toml")); err != nil {
		return c, err
	}
	if err := c.readEnvironment(getenv); err != nil {
		return c, err
	}
	return c, errors.Join(c.check(), c.Embedder.check(), c.Reranker.check())
}

func (c *Config) readFile(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return engram.Errorf(engram.ErrUnavailable, "cannot read %s: %v", path, err)
	}
	var f file
	dec := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return engram.Errorf(engram.ErrInvalid, "%s: %s", path, tomlMessage(data, err)).WithCode("bad_config")
	}
	if f.DatabaseURL != nil {
		c.DatabaseURL = remote.Key(*f.DatabaseURL)
	}
	set(&c.Project, f.Project)
	set(&c.Addr, f.Addr)
	set(&c.Port, f.Port)
	set(&c.LocalAuth, f.LocalAuth)
	set(&c.MaxContent, f.MaxContent)
	set(&c.RedactSecrets, f.RedactSecrets)
	set(&c.Synchronous, f.Synchronous)
	set(&c.LogLevel, f.LogLevel)
	c.Embedder.read(&f.embedderFile)
	c.Hosts, c.Origins = f.Hosts, f.Origins
	return errors.Join(
		c.Reranker.read(&f.rerankerFile, path),
		setDuration(&c.DuplicateWindow, f.DuplicateWindow, path+": duplicate_window"),
		setDuration(&c.SessionIdle, f.SessionIdle, path+": session_idle"),
		setZone(&c.Zone, f.TimeZone, path+": time_zone"),
	)
}

func (c *Config) readEnvironment(getenv func(string) string) error {
	text := func(dst *string, name string) {
		if v := getenv(name); v != "" {
			*dst = v
		}
	}
	if v := getenv("ENGRAM_DATABASE_URL"); v != "" {
		c.DatabaseURL = remote.Key(v)
	}
	text(&c.Project, "ENGRAM_PROJECT")
	text(&c.Addr, "ENGRAM_ADDR")
	text(&c.LogLevel, "ENGRAM_LOG_LEVEL")
	var errs []error
	errs = append(errs, c.Embedder.readEnvironment(getenv), c.Reranker.readEnvironment(getenv))
	if v := getenv("ENGRAM_PORT"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			errs = append(errs, invalid("ENGRAM_PORT", v, "use a number from 0 to 65535"))
		}
		c.Port = n
	}
	if v := getenv("ENGRAM_LOCAL_AUTH"); v != "" {
		on, err := parseSwitch(v)
		if err != nil {
			errs = append(errs, invalid("ENGRAM_LOCAL_AUTH", v, "use on or off"))
		}
		c.LocalAuth = on
	}
	if v := getenv("ENGRAM_TIME_ZONE"); v != "" {
		errs = append(errs, setZone(&c.Zone, &v, "ENGRAM_TIME_ZONE"))
	}
	return errors.Join(errs...)
}

func (c *Config) check() error {
	switch {
	case c.DatabaseURL != "" && !strings.HasPrefix(string(c.DatabaseURL), "postgres://") && !strings.HasPrefix(string(c.DatabaseURL), "postgresql://"):
		return engram.Errorf(engram.ErrInvalid, "database_url is not the address of a PostgreSQL database").WithCode("bad_config").
			WithHint("write it as postgres://user:password@host:5432/name, or leave it out for a file in the data directory")
	case c.Project != "" && engram.NormalizeProject(c.Project) == "":
		return invalid("project", c.Project, "name one, or leave it out to have it found from the directory")
	case c.Port < 0 || c.Port > 65535:
		return invalid("port", strconv.Itoa(c.Port), "use a number from 0 to 65535")
	case c.MaxContent < 1024:
		return invalid("max_content", strconv.Itoa(c.MaxContent), "use at least 1024 bytes")
	case c.DuplicateWindow < 0:
		return invalid("duplicate_window", c.DuplicateWindow.String(), "use a time like 15m, or 0s for none")
	case c.SessionIdle <= 0:
		return invalid("session_idle", c.SessionIdle.String(), "use a time like 6h")
	case c.Synchronous != "normal" && c.Synchronous != "full":
		return invalid("synchronous", c.Synchronous, "use normal or full")
	case c.LogLevel != "debug" && c.LogLevel != "info" && c.LogLevel != "warn" && c.LogLevel != "error":
		return invalid("log_level", c.LogLevel, "use debug, info, warn or error")
	}
	return nil
}

func invalid(name, value, hint string) error {
	return engram.Errorf(engram.ErrInvalid, "%s is %q", name, value).WithCode("bad_config").WithHint("%s", hint)
}

func parseSwitch(s string) (bool, error) {
	switch s {
	case "on", "yes":
		return true, nil
	case "off", "no":
		return false, nil
	}
	return strconv.ParseBool(s)
}

func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

func setDuration(dst *time.Duration, v *string, where string) error {
	if v == nil {
		return nil
	}
	d, err := time.ParseDuration(*v)
	if err != nil {
		return invalid(where, *v, "use a time like 15m or 6h")
	}
	*dst = d
	return nil
}

func setZone(dst **time.Location, v *string, where string) error {
	if v == nil {
		return nil
	}
	zone, err := time.LoadLocation(*v)
	if err != nil {
		return invalid(where, *v, "use a name like Europe/Berlin")
	}
	*dst = zone
	return nil
}
