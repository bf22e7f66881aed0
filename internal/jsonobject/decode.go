package jsonobject

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Decode reads a line with one JSON object, which has a robots.txt, into a struct. An unknown field
// is an error, and so is what encoding/json would change without an error. The text of an error about
// something else than an object has the example.
func Decode(line string, into any, example string) error {
	if err := checkMembers(line); err != nil {
		return err
	}
	from := json.NewDecoder(strings.NewReader(line))
	from.DisallowUnknownFields()
	err := from.Decode(into)
	if err == nil && from.More() {
		err = errors.New("more than one value in a line")
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("%s: unexpected %s", wrong.Field, wrong.Value)
	}
	if err != nil {
		return fmt.Errorf(`%s; expected an object such as %s`, strings.TrimPrefix(err.Error(), "json: "), example)
	}
	return nil
}

// checkMembers refuses lines that encoding/json would change without an error. That package
// replaces text that is not UTF-8, and a Disallow rule would then match nothing. If two
// members have the same name, in any letter case, it ignores the first. Decode refuses
// lines without an object.
func checkMembers(line string) error {
	if !utf8.ValidString(line) {
		return errors.New(`the line is not UTF-8; give a robots.txt with other bytes in base64, as "robots_b64"`)
	}
	var wrong error
	seen := map[string]bool{}
	Each(line, func(key, value string) error {
		name, err := String(key)
		folded := strings.ToLower(strings.ToUpper(name))
		switch {
		case err != nil:
			wrong = err
		case seen[folded]:
			wrong = fmt.Errorf("%s is given twice", name)
		case value[0] == '"':
			if _, err := String(value); err != nil {
				wrong = fmt.Errorf("%s: %w", name, err)
			}
		}
		seen[folded] = true
		return wrong
	})
	return wrong
}
