package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlMessage says where and why data could not be read as a file of settings.
func tomlMessage(data []byte, err error) string {
	if strict, ok := errors.AsType[*toml.StrictMissingError](err); ok && len(strict.Errors) > 0 {
		first := strict.Errors[0]
		row, _ := first.Position()
		return fmt.Sprintf("line %d: setting %q is not known", row, strings.Join(first.Key(), "."))
	}
	decode, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return err.Error()
	}
	row, col := decode.Position()
	where := fmt.Sprintf("line %d, column %d: ", row, col)
	// What is TOML, and no settings, has a value of another type.
	var settings map[string]any
	if key := strings.Join(decode.Key(), "."); toml.Unmarshal(data, &settings) == nil && wanted(key) != "" {
		return where + fmt.Sprintf("setting %q must be %s", key, wanted(key))
	}
	return where + strings.TrimPrefix(decode.Error(), "toml: ")
}

// wanted is what a setting must be, "" for one that is not known.
func wanted(key string) string {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[file]()) {
		if f.Tag.Get("toml") != key {
			continue
		}
		switch f.Type {
		case reflect.TypeFor[*int]():
			return "a whole number, like 7437"
		case reflect.TypeFor[*bool]():
			return "true or false"
		case reflect.TypeFor[[]string]():
			return `a list of texts, like ["a", "b"]`
		default:
			return `a text in quotation marks, like "a"`
		}
	}
	return ""
}
