package flags

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/heed-robots/heed/internal/spelling"
)

// FlagError replaces an error of pflag by one that says what the user can write instead.
func FlagError(c *cobra.Command, err error) error {
	if given := c.Flags().Args(); c.HasSubCommands() && len(given) > 0 {
		return UnknownCommand(c, given[0]) // perhaps the flag belongs to the command that was meant
	}
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var why valueError
	switch {
	case errors.As(err, &why):
		return why.error
	case errors.As(err, &unknown):
		return unknownFlag(c, unknown)
	case errors.As(err, &missing):
		return fmt.Errorf("%s needs a value, such as %s", flagName(missing.GetFlag()), sample(missing.GetFlag()))
	case errors.As(err, &invalid):
		return invalidValue(invalid)
	}
	return err
}

type checkedValue struct {
	pflag.Value
	check func(value string) error
}

// The error in a valueError already names the flag, so FlagError returns it unchanged.
type valueError struct{ error }

func (v checkedValue) Set(value string) error {
	if err := v.check(value); err != nil {
		return valueError{err}
	}
	return v.Value.Set(value)
}

// CheckFlag adds a check to a flag. For a wrong value, check returns an error that names the flag.
func CheckFlag(c *cobra.Command, flag string, check func(value string) error) {
	f := c.Flag(flag)
	f.Value = checkedValue{f.Value, check}
}

// A key is a command and the old name of a flag.
var renamedFlags = map[string]string{"filter denied": "disallowed", "check robots-dir": "robots DIR"}

func unknownFlag(c *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	shorts := unknown.GetSpecifiedShortnames()
	if len(shorts) == 1 {
		return fmt.Errorf("unknown flag -%s; see %s --help", shorts, c.CommandPath())
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	given := "--" + name
	if shorts != "" { // the user wrote a long name after one "-"
		name, _, _ = strings.Cut(shorts, "=")
		given = "-" + name
	}
	if meant := cmp.Or(renamedFlags[c.Name()+" "+name], spelling.Closest(name, names)); meant != "" {
		return fmt.Errorf("unknown flag %s; did you mean --%s?", given, meant)
	}
	if slices.ContainsFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Flags().Lookup(name) != nil }) {
		return fmt.Errorf("%s is a flag of the subcommands of %s: write one of these subcommands before the flag; see %s --help", given, c.CommandPath(), c.CommandPath())
	}
	return fmt.Errorf("unknown flag %s; see %s --help", given, c.CommandPath())
}

func invalidValue(invalid *pflag.InvalidValueError) error {
	f, value := invalid.GetFlag(), invalid.GetValue()
	what := "a value"
	switch kind := f.Value.Type(); {
	case kind == "bool":
		return fmt.Errorf("%s %q: expected true or false, or the flag without a value", flagName(f), value)
	case kind == "duration" && value != "" && strings.Trim(value, "0123456789.") == "":
		return fmt.Errorf("%s %s: the time has no unit; for seconds, write %ss", flagName(f), value, value)
	case kind == "duration":
		what = "a time"
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		what = "a whole number"
	}
	return fmt.Errorf("%s %q: expected %s, such as %s", flagName(f), value, what, sample(f))
}

func flagName(f *pflag.Flag) string { return "--" + f.Name }

func sample(f *pflag.Flag) string {
	switch {
	case f.Name == "agent":
		return "Googlebot"
	case f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "0":
		return f.DefValue
	}
	if choices := f.Annotations[choicesOf]; len(choices) > 0 {
		return choices[0]
	}
	switch f.Value.Type() {
	case "duration":
		return "30s"
	case "int", "uint":
		return "10"
	}
	switch placeholder(f) {
	case "URL":
		return "https://www.example.com/"
	case "CODE":
		return "missing-colon"
	}
	return placeholder(f)
}

// Suggestion ends an error about an unknown word with the most similar choice, or else with all choices.
func Suggestion(word string, choices []string) string {
	if meant := spelling.Closest(word, choices); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	if len(choices) == 1 {
		return "expected " + choices[0]
	}
	return "expected one of " + strings.Join(choices, ", ")
}
