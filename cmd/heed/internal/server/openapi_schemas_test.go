package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/heed-robots/heed/fetch"
	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/policyfile"
	"github.com/heed-robots/heed/internal/report"
	"github.com/heed-robots/heed/internal/report/live"
	"github.com/heed-robots/heed/internal/watch"
	"github.com/heed-robots/heed/origin"
	"github.com/heed-robots/heed/robotstxt"
	"github.com/heed-robots/heed/usage"
)

// The structs of answers that a handler has no type for.

// A stamp is the members that withID adds.
type stamp[P any] struct {
	Provenance P      `json:"provenance"`
	Decision   string `json:"decision"` // the id of the request; with --log-decisions, the log has the ids of verdicts about live sites
}

type turnAnswer struct {
	live.Answer
	stamp[live.Provenance]
	Turn *reserved `json:"turn,omitempty"` // the reserved turn; absent if the URL is not allowed
}

type signAnswer struct {
	live.Answer
	stamp[live.Provenance]
	Request *signed `json:"request,omitempty"` // what to send; absent if the URL is not allowed
}

type streamAnswer struct {
	live.Answer
	RetryAfter   int              `json:"retry_after,omitempty"`   // with an error about a limit: ask again after this number of seconds
	ProvenanceID string           `json:"provenance_id,omitempty"` // of a live site: the id of the provenance
	Provenance   *live.Provenance `json:"provenance,omitempty"`    // in the first answer of the stream with this id
	Decision     string           `json:"decision"`                // the id of the stream, and the number of the line; with --log-decisions, the log has the ids of verdicts about live sites, and of errors
}

// answers are the schemas of answers, and the structs that they are made from.
var answers = []struct {
	name, description string
	value             any
	open              bool // other members are allowed
}{
	{"CheckAnswer", "the verdict for a URL", struct {
		live.Answer
		stamp[live.Provenance]
	}{}, false},
	{"TurnAnswer", "the verdict for a URL, and when to fetch it", turnAnswer{}, false},
	{"SignAnswer", "the verdict for a URL, and the request with its signature", signAnswer{}, false},
	{"StreamAnswer", "a line of the answer of POST /v1/check; other members are copied from the question", streamAnswer{}, true},
	{"ExplainAnswer", "a verdict, and why; without \"site\" if the robots.txt was in the question", struct {
		report.Question
		Site *live.Site `json:"site,omitempty"`
		report.Verdicts
		stamp[live.Provenance]
	}{}, false},
	{"LintAnswer", "what is wrong with a robots.txt", struct {
		lintAnswer
		stamp[live.Provenance]
	}{}, false},
	{"CompareAnswer", "what a change means", struct {
		report.Comparison
		stamp[struct {
			Old live.Provenance `json:"old"`
			New live.Provenance `json:"new"`
		}]
	}{}, false},
	{"FlipsAnswer", "the URLs of a list that flip", struct {
		report.Flips
		stamp[struct {
			Old live.Provenance `json:"old"`
			New live.Provenance `json:"new"`
		}]
	}{}, false},
	{"WriteAnswer", "the robots.txt that a policy means", struct {
		policyfile.Written
		Decision string `json:"decision"` // the id of the request; with --log-decisions, the log has the ids of verdicts about live sites
	}{}, false},
	{"PolicyAnswer", "the policy that a robots.txt means", struct {
		policyfile.Drawn
		stamp[live.Provenance]
	}{}, false},
	{"RobotsAnswer", "what is known about the robots.txt of a site", struct {
		siteRobots
		stamp[live.Provenance]
		Lines   []report.Line  `json:"lines,omitempty"`   // of the file, if "lines" is true
		History []live.Version `json:"history,omitempty"` // the versions in the store, if "history" is true
		Events  []watch.Event  `json:"events,omitempty"`  // the last events about the site, the newest first, if "history" is true; none if it is not watched
	}{}, false},
	{"Forgotten", "what was deleted", forgetAnswer{}, false},
	{"PreviewAnswer", "what a draft would change", struct {
		previewAnswer
		stamp[liveAndDraft[live.Provenance]]
	}{}, false},
	{"GridAnswer", "the verdicts about URLs for crawlers, and how often each rule decides", struct {
		gridAnswer
		stamp[live.Provenance]
	}{}, false},
	{"CrawlersAnswer", "the crawlers that are known", report.Crawlers{}, false},
}

// TestSchemasOfAnswers: openapi_schemas.json has the schemas of all structs in answers. With
// UPDATE_TRANSCRIPTS=1 it is written.
func TestSchemasOfAnswers(t *testing.T) {
	s := schemas{comments: comments(t, ".", "../../../../internal/report", "../../../../internal/lint", "../../../../internal/policyfile", "../../../../internal/report/live", "../../../../internal/watch", "../../../../fetch"), types: map[string]reflect.Type{}}
	for _, a := range answers {
		one := s.object(reflect.TypeOf(a.value), !a.open)
		if one[1].name == "description" {
			one = slices.Delete(one, 1, 2)
		}
		s.all = append(s.all, member{a.name, slices.Insert(one, 1, member{"description", a.description})})
	}
	for len(s.todo) > 0 {
		next := s.todo[0]
		s.todo = s.todo[1:]
		s.all = append(s.all, member{s.name(next), s.object(next, true)})
	}
	var got bytes.Buffer
	text, err := json.Marshal(s.all)
	if err == nil {
		err = json.Indent(&got, text, "", "  ")
	}
	if err != nil {
		t.Fatal(err)
	}
	got.WriteByte('\n')
	if os.Getenv("UPDATE_TRANSCRIPTS") != "" {
		if err := os.WriteFile("openapi_schemas.json", got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if got.String() != openAPISchemas {
		t.Error("openapi_schemas.json is not what the structs of answers are; to write it: UPDATE_TRANSCRIPTS=1 go test ./cmd/heed/internal/server -run TestSchemasOfAnswers")
	}
}

// A member is one of an object whose members have an order.
type member struct {
	name  string
	value any
}

type object []member

func (o object) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(m.name)
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, name...), ':'), value...)
	}
	return append(b, '}'), nil
}

// schemas makes the schemas of structs.
type schemas struct {
	comments map[string]string       // see comments
	types    map[string]reflect.Type // those that have a name
	todo     []reflect.Type          // those of types that are not in all
	all      object
}

// object returns the schema of a struct.
func (s *schemas) object(t reflect.Type, closed bool) object {
	properties, required := object{}, []string{}
	s.fields(t, &properties, &required)
	o := object{{"type", "object"}}
	if comment := s.comments[t.String()]; comment != "" {
		o = append(o, member{"description", comment})
	}
	if closed {
		o = append(o, member{"additionalProperties", false})
	}
	return append(o, member{"required", required}, member{"properties", properties})
}

// fields adds the fields of a struct, and of those that are embedded in it.
func (s *schemas) fields(t reflect.Type, properties *object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			s.fields(f.Type, properties, required)
			continue
		}
		if !f.IsExported() {
			continue // it is not in JSON
		}
		if name == "" {
			panic(fmt.Sprintf("%v.%s has no name in JSON", t, f.Name))
		}
		of, _, _ := strings.Cut(t.String(), "[") // stamp[live.Provenance] is a stamp
		comment := s.comments[of+"."+f.Name]
		if f.Type == reflect.TypeFor[[]byte]() && comment == "" {
			comment = fmt.Sprintf("the bytes of %q, if they are not UTF-8", strings.TrimSuffix(name, "_b64"))
		}
		schema := s.of(f.Type)
		if mayBeNull.MatchString(comment) {
			schema = object{{"anyOf", []any{schema, object{{"type", "null"}}}}}
		}
		if comment != "" {
			schema = append(schema, member{"description", comment})
		}
		*properties = append(*properties, member{name, schema})
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			*required = append(*required, name)
		}
	}
}

// mayBeNull matches the comment of a field that is null in some answers.
var mayBeNull = regexp.MustCompile(`\bnull\b`)

// of returns the schema of a type.
func (s *schemas) of(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[report.Agent]():
		return object{{"$ref", "#/components/schemas/Agent"}}
	case reflect.TypeFor[[]byte]():
		return object{{"type", "string"}, {"contentEncoding", "base64"}}
	case reflect.TypeFor[time.Time]():
		return object{{"type", "string"}, {"format", "date-time"}}
	case reflect.TypeFor[origin.Origin](), reflect.TypeFor[robotstxt.Kind]():
		return object{{"type", "string"}}
	case reflect.TypeFor[robotstxt.Reason]():
		return names(robotstxt.Undecided, robotstxt.IgnoresEveryone)
	case reflect.TypeFor[report.Preferences]():
		return object{{"type", "object"}, {"propertyNames", object{{"$ref", "#/components/schemas/UsagePurpose"}}}, {"additionalProperties", s.of(reflect.TypeFor[report.Preference]())}}
	case reflect.TypeFor[usage.Preference]():
		return names(usage.Unknown, usage.NotCrawlable)
	case reflect.TypeFor[fetch.Outcome]():
		return names(fetch.Unreachable, fetch.Restricted)
	case reflect.TypeFor[lint.Severity]():
		return names(lint.Note, lint.Error)
	case reflect.TypeFor[watch.Severity]():
		return names(watch.Low, watch.High)
	case reflect.TypeFor[http.Header]():
		t = reflect.TypeFor[map[string][]string]()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.String:
		return object{{"type", "string"}}
	case reflect.Bool:
		return object{{"type", "boolean"}}
	case reflect.Int, reflect.Int64:
		return object{{"type", "integer"}}
	case reflect.Float64:
		return object{{"type", "number"}}
	case reflect.Slice:
		return object{{"type", "array"}, {"items", s.of(t.Elem())}}
	case reflect.Map:
		return object{{"type", "object"}, {"additionalProperties", s.of(t.Elem())}}
	case reflect.Interface:
		return object{}
	case reflect.Struct:
		if t.Name() == "" || strings.Contains(t.Name(), "[") {
			return s.object(t, true)
		}
		return object{{"$ref", "#/components/schemas/" + s.name(t)}}
	}
	panic(fmt.Sprintf("no schema for %v", t))
}

// names returns the schema of a type with a few values, from one to another.
func names[T interface {
	~uint8
	MarshalText() ([]byte, error)
}](first, last T) object {
	var all []string
	for v := first; v <= last; v++ {
		text, _ := v.MarshalText() // never fails
		all = append(all, string(text))
	}
	return object{{"type", "string"}, {"enum", all}}
}

// name returns the name of the schema of a struct, which is then one of todo.
func (s *schemas) name(t reflect.Type) string {
	name := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
	if t.PkgPath() == reflect.TypeFor[watch.Event]().PkgPath() {
		name = "Watch" + name // its events have parts of what others have whole
	}
	switch known := s.types[name]; {
	case known == nil:
		s.types[name] = t
		s.todo = append(s.todo, t)
	case known != t:
		panic(fmt.Sprintf("%v and %v have the same name", known, t))
	}
	return name
}

// comments returns the comments of the structs in some folders, by the names "package.Type" and
// "package.Type.Field". Of the comment of a struct it is the first sentence.
func comments(t *testing.T, folders ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(folder, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.TYPE {
					commentsOf(d, file.Name.Name, found)
				}
			}
		}
	}
	return found
}

func commentsOf(d *ast.GenDecl, in string, found map[string]string) {
	for _, spec := range d.Specs {
		spec := spec.(*ast.TypeSpec)
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		name := in + "." + spec.Name.Name
		sentence, _, _ := strings.Cut(strings.Join(strings.Fields(d.Doc.Text()), " "), ". ")
		found[name] = strings.TrimSuffix(sentence, ".")
		for _, f := range fields.Fields.List {
			for _, id := range f.Names {
				found[name+"."+id.Name] = strings.Join(strings.Fields(f.Comment.Text()+f.Doc.Text()), " ")
			}
		}
	}
}
