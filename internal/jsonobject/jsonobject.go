// Package jsonobject reads JSON objects strictly: it refuses every mistake that could make a rule disappear.
package jsonobject

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Decode reads one object into a struct. Unknown members and null are errors.
func Decode(text []byte, into any) error {
	if jsontext.Value(text).Kind() != '{' {
		return checkKind(jsontext.NewDecoder(bytes.NewReader(text)))
	}
	return problem(json.Unmarshal(text, into, json.RejectUnknownMembers(true), json.WithUnmarshalers(strictly)))
}

// The JSON library would read null as a zero value, and would accept line ends in base64. Both are errors here.
var strictly = json.UnmarshalFromFunc(func(from *jsontext.Decoder, into any) error {
	if from.PeekKind() == 'n' {
		return errNull
	}
	decoded, ok := into.(*[]byte)
	if !ok || from.PeekKind() != '"' {
		return json.SkipFunc
	}
	value, err := from.ReadValue()
	if err != nil {
		return err
	}
	text, err := String(string(value))
	if err != nil {
		return err
	}
	*decoded, err = base64Of(text)
	return err
})

var errNull = errors.New("the value is null: give a value, or leave this member out")

// Each calls yield with every member as JSON text. After a mistake in the object, it returns an error.
func Each(text string, yield func(key, value string) error) error {
	r := readers.Get().(*reader)
	defer readers.Put(r)
	r.text.Reset()
	r.text.WriteString(text)
	r.decoder.Reset(&r.text)
	if err := checkKind(&r.decoder); err != nil {
		return err
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return problem(err)
	}
	for r.decoder.PeekKind() != '}' {
		key, err := r.value(text)
		if err != nil {
			return err
		}
		value, err := r.value(text)
		if err != nil {
			return err
		}
		if err := yield(key, value); err != nil {
			return err
		}
	}
	if _, err := r.decoder.ReadToken(); err != nil {
		return problem(err)
	}
	if _, err := r.decoder.ReadToken(); err != io.EOF {
		return errAfter
	}
	return nil
}

// EachPath is like Each, but decodes the names. If the function enters returns true for the path of an object, EachPath also
// yields the members of this object. For example, "page.url" is the member "url" of the object "page". The members of an
// object come after the members beside the object. So if two members have the same path, the member with the dot in its own
// name comes first.
func EachPath(object string, enters func(path string) bool, yield func(path, value string) error) error {
	return eachPath("", object, enters, yield)
}

func eachPath(prefix, object string, enters func(path string) bool, yield func(path, value string) error) error {
	type member struct{ path, value string }
	var few [4]member // on the stack
	objects := few[:0]
	err := Each(object, func(key, value string) error {
		name, err := String(key)
		if err != nil {
			return err
		}
		path := prefix + name
		if value[0] == '{' && enters(path) {
			objects = append(objects, member{path, value})
			return nil
		}
		return yield(path, value)
	})
	for i := 0; i < len(objects) && err == nil; i++ {
		err = eachPath(objects[i].path+".", objects[i].value, enters, yield)
	}
	return err
}

// IsWithin reports whether a path names a member in an object, as "page.url" does in "page".
func IsWithin(path, object string) bool {
	return len(path) > len(object) && path[len(object)] == '.' && strings.HasPrefix(path, object)
}

var errAfter = errors.New("expected only one JSON object; found more text after the end of the object")

// Readers are pooled because making one for each line of a list would take most of the time.
type reader struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
}

var readers = sync.Pool{New: func() any { return &reader{} }}

func (r *reader) value(text string) (string, error) {
	value, err := r.decoder.ReadValue()
	if err != nil {
		return "", problem(err)
	}
	end := int(r.decoder.InputOffset())
	return text[end-len(value) : end], nil
}

var kindNames = map[jsontext.Kind]string{'n': "null", 't': "true", 'f': "false", '"': "string", '0': "number", '[': "list", '{': "object"}

func checkKind(d *jsontext.Decoder) error {
	kind := d.PeekKind()
	if kind == '{' {
		return nil
	}
	if err := d.SkipValue(); err != nil {
		return fmt.Errorf("%w; expected a JSON object", problem(err))
	}
	return fmt.Errorf("found a JSON %s; expected a JSON object", kindNames[kind])
}

func problem(err error) error {
	var (
		wrong  *json.SemanticError
		syntax *jsontext.SyntacticError
	)
	switch {
	case err == io.EOF:
		return errors.New("the text is empty")
	case errors.As(err, &syntax) && errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("%q is given twice; give it only once", syntax.JSONPointer.LastToken())
	case errors.As(err, &syntax):
		text := strings.TrimPrefix(syntax.Error(), "jsontext: ")
		if strings.Contains(text, "after top-level value") {
			return errAfter
		}
		if strings.Contains(text, "UTF-8") || strings.Contains(text, "surrogate") {
			text += `; give bytes that are not UTF-8 in base64, as "robots_b64" or "url_b64"`
		}
		return fmt.Errorf("not JSON: %s", text)
	case errors.As(err, &wrong) && errors.Is(err, json.ErrUnknownName):
		return fmt.Errorf("the member %q is unknown; expected one of %s", wrong.JSONPointer.LastToken(), strings.Join(members(wrong.GoType), ", "))
	case errors.As(err, &wrong) && wrong.Err != nil:
		return fmt.Errorf("%q: %w", strings.TrimPrefix(string(wrong.JSONPointer), "/"), wrong.Err)
	case errors.As(err, &wrong):
		return unexpected(strings.TrimPrefix(string(wrong.JSONPointer), "/"), wrong.JSONKind, expected(wrong.GoType))
	}
	return err
}

// Unexpected returns the error for a wrong value of a member. want says what was expected, such as "a string".
func Unexpected(name, value, want string) error {
	if value == "null" {
		return fmt.Errorf("%q: %w", name, errNull)
	}
	return unexpected(name, jsontext.Value(value).Kind(), want)
}

func unexpected(name string, kind jsontext.Kind, expected string) error {
	return fmt.Errorf("%q is a JSON %s; expected %s", name, kindNames[kind], expected)
}

func members(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "a string in base64"
		}
		return "a list"
	case reflect.Int:
		return "a number without a fraction"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		return "an object with one of the members " + strings.Join(members(t), ", ")
	}
	return "an object"
}

// String decodes a JSON value that Each has returned. The value must be a JSON string.
func String(value string) (string, error) {
	if value[0] != '"' {
		return "", errors.New("expected a JSON string, in quotation marks")
	}
	if strings.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1], nil
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err
}

// Strings decodes a JSON text from Each, which must be a string or a list of strings.
func Strings(value string) ([]string, error) {
	if value[0] == '"' {
		one, err := String(value)
		return []string{one}, err
	}
	var all []string
	if value[0] != '[' || json.Unmarshal([]byte(value), &all) != nil || len(all) == 0 {
		return nil, errors.New("expected a JSON string, or a list of JSON strings")
	}
	return all, nil
}

// Bytes decodes a JSON text from Each, which must be a string in base64.
func Bytes(value string) (string, error) {
	text, err := String(value)
	if err != nil {
		return "", err
	}
	b, err := base64Of(text)
	return string(b), err
}

func base64Of(text string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err == nil && strings.ContainsAny(text, "\r\n") {
		return nil, errors.New("expected base64 without line ends")
	}
	if err != nil {
		return nil, fmt.Errorf("expected base64: %w", err)
	}
	return b, nil
}
