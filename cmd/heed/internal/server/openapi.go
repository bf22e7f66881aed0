package server

import (
	_ "embed"
	"encoding/json"
	"github.com/heed-robots/heed/cmd/heed/internal/message"
	"net/http"
	"strings"
)

// The OpenAPI document is in two files: openapi.json is written by hand, openapi_schemas.json has
// the schemas of answers, and is written by TestSchemasOfAnswers from their structs.
var (
	//go:embed openapi.json
	openAPIByHand string
	//go:embed openapi_schemas.json
	openAPISchemas string
)

// openAPIDocument returns the OpenAPI document of a version of Heed.
func openAPIDocument(version string) []byte {
	v, _ := json.Marshal(version) // never fails
	document := strings.Replace(openAPIByHand, `"version": ""`, `"version": `+string(v), 1)
	schemas := strings.TrimSuffix(openAPISchemas, "\n}\n")
	return []byte(strings.Replace(document, `"schemas": {`, `"schemas": `+schemas+",", 1))
}

// openAPI answers GET /v1/openapi.json: a description of this API for programs.
func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request) error {
	message.WriteJSON(w, http.StatusOK, openAPIDocument(s.Version))
	return nil
}
