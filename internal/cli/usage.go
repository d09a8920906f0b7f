package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"engram"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// checkUsage makes what is wrong with a command line a usage error, in cmd and
// all commands under it.
func checkUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(check(cmd, args), excluding(cmd, args)); err != nil {
				return usageError{err}
			}
			return checkTexts(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		checkUsage(sub)
	}
}

// excluding refuses what would be taken instead of something else that is given.
func excluding(cmd *cobra.Command, args []string) error {
	named := []string{}
	for _, flag := range []string{"all", "project"} {
		if cmd.Flags().Changed(flag) {
			named = append(named, "--"+flag)
		}
	}
	if strings.HasSuffix(cmd.Use, "[PROJECT]") && len(args) > 0 {
		named = append(named, "the argument PROJECT")
	}
	if len(named) > 1 {
		return fmt.Errorf("give %s, not both", strings.Join(named[:2], " or "))
	}
	return nil
}

// checkTexts refuses texts that are not UTF-8. Names of files that are opened may
// be anything.
func checkTexts(cmd *cobra.Command, args []string) error {
	if !strings.Contains(cmd.Use, "FILE") && !strings.Contains(cmd.Use, "DIR") {
		for i, arg := range args {
			if err := checkUTF8(fmt.Sprintf("argument %d", i+1), arg); err != nil {
				return err
			}
		}
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"file", "data-dir", "temp"}, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			err = errors.Join(err, checkUTF8("--"+f.Name, v))
		}
	})
	return err
}

// checkUTF8 is nil for a text in UTF-8; what it is not would be lost in a store
// of text.
func checkUTF8(what, s string) error {
	if utf8.ValidString(s) {
		return nil
	}
	at := 0
	for i, r := range s {
		if _, size := utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
			at = i
			break
		}
	}
	return engram.Errorf(engram.ErrInvalid, "%s is not text in UTF-8: byte %d, on line %d, is %#02x",
		what, at, 1+strings.Count(s[:at], "\n"), s[at]).
		WithCode("invalid_utf8").WithHint("nothing was stored; a memory is text: convert it to UTF-8, as with iconv")
}

// rangedInt is the value of a flag that is a whole number from lo to hi.
type rangedInt struct {
	value  *int
	lo, hi int
}

func (r rangedInt) String() string {
	if r.value == nil { // pflag asks an empty one
		return "0"
	}
	return strconv.Itoa(*r.value)
}

func (r rangedInt) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < r.lo || n > r.hi {
		return fmt.Errorf("use a whole number from %d to %d", r.lo, r.hi)
	}
	*r.value = n
	return nil
}

func (rangedInt) Type() string { return "int" }

// rangeVar adds a flag that is a whole number from lo to hi, def where it is not
// given.
func rangeVar(flags *pflag.FlagSet, value *int, name string, def, lo, hi int, usage string) {
	*value = def
	flags.Var(rangedInt{value, lo, hi}, name, fmt.Sprintf("%s, %d to %d", usage, lo, hi))
}
