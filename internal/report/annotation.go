package report

import (
	"fmt"
	"strings"

	"github.com/heed-robots/heed/internal/lint"
	"github.com/heed-robots/heed/internal/printable"
)

// Annotations returns what was found in a file as workflow commands of GitHub, one on each line.
// In the log of a workflow, they are shown as annotations of the file.
func Annotations(l Linted) []string {
	mend := mendings()
	var commands []string
	for i, place := range l.Places() {
		f := l.Findings[i]
		message := MessageOf(f)
		if what := mend[f.Code]; what != "" {
			message += "\n" + what
		}
		commands = append(commands, fmt.Sprintf("::%s %s::%s", annotationLevels[f.Severity], annotationPlace(l.File, f, place), escapeData.Replace(message)))
	}
	return commands
}

var annotationLevels = [...]string{lint.Information: "notice", lint.Warning: "warning", lint.Error: "error"}

// mendings returns what to do about the findings of each rule.
func mendings() map[string]string {
	mend := map[string]string{}
	for _, rule := range lint.Rules() {
		mend[rule.Code] = rule.Mend
	}
	return mend
}

// annotationPlace returns the properties of a workflow command.
func annotationPlace(file string, f lint.Finding, place Place) string {
	properties := []string{"file=" + escapeProperty.Replace(printable.Text(file))}
	if f.Line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d", f.Line))
	}
	if place.Start > 0 {
		properties = append(properties, fmt.Sprintf("col=%d", place.Start))
	}
	if place.End > place.Start {
		properties = append(properties, fmt.Sprintf("endColumn=%d", place.End))
	}
	return strings.Join(append(properties, "title="+escapeProperty.Replace(f.Code)), ",")
}

// GitHub ends a command at the end of the line, and a property at a comma or a colon.
var (
	escapeData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
