package gotemplate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers/gotemplate"
)

const data = `{
  "kind": "Test", "name": "web", "empty": "", "html": "<a href=\"x?y=1&z\">'\u0000é\u2028\u0001=\\\u007f😀\ue000</a>", "base64": "aMOp",
  "zero": 0, "n": 3, "big": 9007199254740993, "negative": -2, "ratio": 0.5, "huge": 1e100, "one": 1.0,
  "yes": true, "no": false, "null": null, "none": [], "nothing": {}, "a-b": "dash",
  "map": {"b": 2, "a": 1, "": "blank", "null": null, "deep": {"x": {"y": "z"}}},
  "list": ["x", "y", "z"], "numbers": [3, 1, 2], "mixed": [1, "s", null, true, 1.5, [1, 2], {"k": "v"}],
  "items": [{"name": "a", "labels": {"app": "x"}}, {"name": "b"}, {"name": "c", "labels": null}]
}`

// templates are what people write, and the corners of the language.
var templates = []string{
	// Text, comments and trim markers.
	``, `plain {} text`, `a {{/* comment */}} b`, "a \n {{- /* c */ -}} \n b", "x {{- .name -}} y", `{{"{{"}}`, "{{`raw\n`}}",
	// Fields and chains.
	`{{.}}`, `{{.name}}`, `{{.map}} {{.list}} {{.mixed}}`, `{{.map.deep.x.y}}`, `{{.missing}}`, `{{.missing.more}}`,
	`{{.null}}`, `{{.null.x}}`, `{{(.null).x}}`, `{{.name.x}}`, `{{.list.x}}`, `{{.n.x}}`, `{{.yes.x}}`, `{{(.map.deep).x.y}}`,
	`{{$.name}}`, `{{$.map.deep}}`, `{{(index .items 0).labels.app}}`, `{{print.x}}`, `{{.map.null.x}}`, `{{.map.a 1}}`, `{{.name 1}}`,
	`{{.missing.x 1}}`, `{{1 | .name}}`, `{{1 | .missing.x}}`, `{{1 | .}}`, `{{1 | $}}`, `{{. 1}}`, `{{$ 1}}`, `{{$x := .null}}{{$x.y}}`,
	`{{(print "a").x}}`, `{{nil}}`, `{{(nil)}}`, `{{(1) 2}}`, `{{1 | (print)}}`, `{{.a-b}}`, `{{index . "a-b"}}`, `{{"s".x}}`,
	// Literals and how values print.
	`{{1}} {{-1}} {{1.5}} {{1e3}} {{0x1F}} {{0b11}} {{0o17}} {{1_000}} {{'a'}} {{true}} {{"s"}} {{1i}} {{0x1p4}} {{0x1e3}} {{'.'}}`,
	`{{9223372036854775807}}`, `{{9223372036854775808}}`, `{{99999999999999999999}}`, `{{1e400}}`, `{{1+2i}} {{if 0i}}y{{else}}n{{end}}`,
	`{{.big}} {{.ratio}} {{.huge}} {{.one}} {{.negative}} {{.yes}} {{.empty}}`, `{{printf "%T %T %T %T" 1 .n .ratio .map}}`,
	`{{printf "%T %T" 1i (index "abc" 0)}}`,
	// Variables.
	`{{$x := .name}}{{$x}} {{$x = 2}}{{$x}}`, `{{$x := 1}}{{if true}}{{$x = 2}}{{$y := 3}}{{$y}}{{end}}{{$x}}`,
	`{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}`, `{{$x := .map}}{{$x.deep.x}}{{$x.a 1}}`, `{{$y}}`, `{{if $x := .name}}{{$x}}{{end}}`,
	`{{with $x := .map}}{{$x.a}}{{.b}}{{end}}`, `{{print ($x := 1) $x}}{{$x}}`, `{{and false ($x := 1)}}{{$x}}`, `{{and false ($x := 1)}}{{$x = 2}}`,
	`{{and false ($x := 1)}}{{range $x = .list}}{{end}}`,
	`{{$x := 1}}{{$x | printf "%d"}}`, `{{$x := 1}}{{2 | $x}}`, `{{$x := "a" | print "b"}}{{$x}}`, `{{$x := 1}}{{$x.y}}`,
	// if and with.
	`{{if .yes}}a{{end}}`, `{{if .no}}a{{else if .n}}b{{else}}c{{end}}`, `{{if .missing}}a{{else}}b{{end}}`, `{{if .null}}a{{else}}b{{end}}`,
	`{{if .none}}a{{else}}b{{end}}{{if .nothing}}a{{else}}b{{end}}{{if .empty}}a{{else}}b{{end}}{{if .zero}}a{{else}}b{{end}}`,
	`{{if .list}}a{{end}}{{if .map}}a{{end}}{{if .name}}a{{end}}{{if .ratio}}a{{end}}{{if 0.0}}b{{end}}{{if 1i}}a{{end}}{{if index "a" 0}}c{{end}}`,
	`{{with .map}}{{.a}}{{$.name}}{{end}}`, `{{with .missing}}a{{else}}{{.name}}{{end}}`, `{{with .missing}}a{{else with .map}}{{.a}}{{else}}c{{end}}`,
	`{{with .null}}a{{end}}`, `{{if}}{{end}}`, `{{if .name.x}}{{end}}`, `{{with .name.x}}{{end}}`, `{{if not .no}}x{{end}}`,
	// range.
	`{{range .list}}{{.}},{{end}}`, `{{range $i, $e := .list}}{{$i}}={{$e}} {{end}}`, `{{range $e := .list}}{{$e}}{{end}}`,
	`{{range .map}}{{.}},{{end}}`, `{{range $k, $v := .map}}{{$k}}={{$v}} {{end}}`, `{{range .none}}a{{else}}b{{end}}`, `{{range .missing}}a{{else}}b{{end}}`,
	`{{range .null}}a{{else}}b{{end}}`, `{{range .nothing}}a{{else}}{{.name}}{{end}}`, `{{range .n}}{{.}}{{end}}`, `{{range $i := 3}}{{$i}}{{end}}`,
	`{{range $i, $j := 3}}{{$i}}{{end}}`, `{{range 0}}a{{else}}b{{end}}`, `{{range .negative}}a{{else}}b{{end}}`, `{{range .name}}a{{end}}`,
	`{{range .ratio}}a{{end}}`, `{{range .yes}}a{{end}}`, `{{range $i, $e := .name}}a{{end}}`, `{{range .mixed}}{{.}};{{end}}`, `{{range .mixed}}{{.x}}{{end}}`,
	`{{range $e := .mixed}}{{$e}}{{end}}`, `{{range $i, $e := .mixed}}{{if eq $i 2}}{{$e.x}}{{end}}{{end}}`, `{{range index "\x03" 0}}{{printf "%T%v" . .}}{{end}}`,
	`{{range .list}}{{if eq . "y"}}{{break}}{{end}}{{.}}{{end}}`, `{{range .list}}{{if eq . "y"}}{{continue}}{{end}}{{.}}{{end}}`,
	`{{range .list}}{{range $.numbers}}{{if eq . 1}}{{break}}{{end}}{{.}}{{end}}{{.}}{{end}}`, `{{break}}`, `{{range .list}}{{range $.none}}{{else}}{{break}}{{end}}{{.}}{{end}}`,
	`{{range .list}}{{range $.none}}{{else}}{{continue}}{{end}}{{.}}{{end}}`, `{{$x := ""}}{{range $x = .list}}{{end}}{{$x}}`,
	`{{$i := 0}}{{$x := ""}}{{range $i, $x = .list}}{{end}}{{$i}}{{$x}}`, `{{$x := 1}}{{range $x = .none}}{{end}}{{$x}}`, `{{range $a, $b, $c := .list}}{{end}}`,
	`{{range .items}}{{.name}}:{{.labels.app}} {{end}}`, `{{range .items}}{{with .labels}}{{.app}}{{else}}-{{end}}{{end}}`, `{{range $i, $x := ($y := .list)}}{{$i}}{{$x}}{{$y}}{{end}}`,
	`{{range .list}}{{$y := .}}{{end}}{{range $e := .list}}{{$f := $e}}{{$f}}{{end}}`, `{{range .name.x}}{{end}}`,
	`{{range .map}}{{break}}{{end}}{{range 3}}{{.}}{{break}}{{end}}`, `{{(.name.x).y}}`,
	// template, define and block.
	`{{define "t"}}[{{.}}]{{end}}{{template "t" .name}}{{template "t"}}{{template "t" .null}}`, `{{template "absent"}}`, `{{block "t" .map}}{{.a}}{{end}}`,
	`{{define "t"}}{{$}}{{$x := 1}}{{end}}{{$x := 2}}{{template "t" .n}}{{$x}}`, `{{define "t"}}{{.x}}{{end}}{{template "t" .null}}`,
	`{{define "t"}}{{if .}}{{.y}}{{template "t" .x}}{{end}}{{end}}{{template "t" .map.deep}}`, `{{define "t"}}{{template "t"}}{{end}}{{template "t"}}`,
	`{{define "output"}}o{{end}}`, `{{define "t"}}a{{end}}{{define "t"}}b{{end}}`, `{{define "t"}}{{end}}{{template "t" .name.x}}`, `{{template "t" $x := 1}}{{$x}}{{define "t"}}{{end}}`,
	`{{define "t"}}{{.name.x}}{{end}}{{template "t" .}}`, `a{{template "output" .null}}`,
	// Pipelines and parentheses.
	`{{.name | printf "%s-%s" "a"}}`, `{{.missing | print}} {{print .missing .null nil}}`, `{{.name | len | printf "%03d"}}`, `{{(len .name) | print}}`,
	`{{.null | or}}`, `{{print (print)}}`, `{{print print}}`, `{{len print}}`, `{{1 | 2}}`, `{{.name | html | len}}`,
	// and, or, not.
	`{{and 1 0 2}} {{or 0 "" "x" 3}} {{not 1}} {{not .missing}} {{and}}`, `{{and}}`, `{{or}}`, `{{not}}`, `{{1 | and}} {{0 | or 0}} {{.list | and true}} {{1 | or 2}}`,
	`{{and .no .name.x}} {{or .yes .name.x}}`, `{{or .no .name.x}}`, `{{and .missing}} {{or .null .missing}} {{(or .null).x}}`, `{{and nil}} {{or nil 1}}`, `{{not 1 2}}`,
	// Comparison.
	`{{eq 1 1}} {{eq .n 3}} {{eq .n 1 2 3}} {{eq "a" .name "web"}} {{eq .yes true}} {{eq .ratio 0.5}} {{eq 1i 1i}} {{ne 1 2}} {{eq .one 1.0}}`,
	`{{eq 1 1.0}}`, `{{eq 1 "1"}}`, `{{eq 1}}`, `{{eq}}`, `{{ne 1}}`, `{{eq 1 2 "x"}}`, `{{eq 1 1 "x"}}`, `{{eq .map .map}}`, `{{eq .list .map}}`, `{{eq .map "x"}}`,
	`{{eq .map nil}} {{eq nil nil}} {{eq .missing nil}} {{eq .null .missing}} {{eq .name nil}} {{eq nil .name}} {{ne .missing "x"}} {{eq .missing .list}}`,
	`{{eq (index "a" 0) 97}} {{lt (index "a" 0) 98}} {{eq 97 (index "a" 0)}}`, `{{lt 1 2}} {{le 2 2}} {{gt 3 2}} {{ge 2 3}} {{lt "a" "b"}} {{le .ratio 0.5}} {{ge .n 3}} {{gt .ratio 0.1}}`,
	`{{lt 1 1.5}}`, `{{lt true false}}`, `{{lt 1i 2i}}`, `{{lt .missing 1}}`, `{{ge .list 1}}`, `{{le true true}}`, `{{gt nil nil}}`, `{{lt 1}}`, `{{gt .name 1}}`, `{{le 1 "a"}}`,
	// index, slice, len, exists.
	`{{index .list 1}} {{index .map "a"}} {{index .map "absent"}} {{index .items 0 "labels" "app"}} {{index .name 0}} {{index .list}}`, `{{index .list 3}}`, `{{index .list 4}}`,
	`{{index .list -1}}`, `{{index .list "x"}}`, `{{index .list nil}}`, `{{index .list .missing}}`, `{{index .map 1}}`, `{{index .map nil}}`, `{{index .missing 1}}`, `{{index nil}}`, `{{index .n 1}}`,
	`{{index .map "null" "x"}}`, `{{(index .map "null").x}}`, `{{(index .map "absent").x}}`, `{{index .name 3}}`, `{{index .name 0 0}}`, `{{index}}`, `{{index .list 1.0}}`, `{{index .null}}`,
	`{{slice .name 1}} {{slice .name 1 2}} {{slice .name}} {{slice .list 1}} {{slice .list 1 2}} {{slice .list 0 1 2}} {{slice .list 3}}`, `{{slice .name 1 2 3}}`, `{{slice .list 0 1 2 3}}`, `{{slice .name 4}}`,
	`{{slice .list 2 1}}`, `{{slice .list 0 2 1}}`, `{{slice .map 1}}`, `{{slice nil}}`, `{{slice .missing 1}}`, `{{slice .list "x"}}`, `{{slice .list 0 4}}`, `{{slice .name -1}}`, `{{slice .list 0 100}}`, `{{slice .n}}`,
	`{{len .list}} {{len .map}} {{len .name}} {{len .none}} {{len "é"}}`, `{{len .n}}`, `{{len .missing}}`, `{{len nil}}`, `{{len}}`, `{{len .null}}`, `{{len 1.5}}`, `{{len .list .list}}`,
	`{{exists . "name"}} {{exists .map "a"}} {{exists .map "b" "c"}} {{exists .map "null"}} {{exists .map "absent"}} {{exists .list 2}} {{exists .list 3}} {{exists .list -1}} {{exists .list "x"}}`,
	`{{exists .missing}} {{exists .missing "x"}} {{exists .map nil}} {{exists .map 1}} {{exists .list nil}} {{exists .name 0}} {{exists .name 0 0}} {{exists .n 1}} {{exists nil}} {{exists .items 0 "labels" "app"}}`, `{{exists}}`,
	// print, escapes and base64decode.
	`{{print 1 2 "a" "b" 3}} {{print}} {{println 1 "x"}} {{print nil .missing true}} {{print .list .map}}`, `{{printf "%d %s %v %q %5.2f %x" .n .name .map .list .ratio "hi"}} {{printf "%d" "x"}} {{printf "%d"}} {{printf "x" 1}}`,
	`{{printf "%v %s" nil .missing}} {{printf .name}} {{printf (print "%" "d") 1}}`, `{{printf}}`, `{{printf 1}}`, `{{printf .n}}`, `{{printf .missing}}`, `{{printf nil}}`, `{{"%s" | printf}}`, `{{printf true}}`,
	`{{html .html}} {{js .html}} {{urlquery .html}} {{html}} {{html .missing nil 1 2 "a"}} {{js 1 2}} {{urlquery .map}} {{html .null}}`, `{{js (slice "é" 0 1)}}{{html (slice "é" 1)}}`, `{{js "\U000E0001\xff"}}`,
	`{{base64decode .base64}} {{.base64 | base64decode}} {{base64decode ""}}`, `{{base64decode "?"}}`, `{{base64decode 1}}`, `{{base64decode nil}}`, `{{base64decode .missing}}`, `{{base64decode}}`, `{{base64decode "" ""}}`,
	`{{call .name}}`, `{{call nil}}`, `{{call}}`, `{{call .missing 1}}`, `{{.list | call}}`,
	// What is no template.
	`{{`, `{{.name`, `{{if}}`, `{{end}}`, `{{nofunction}}`, `{{.name | nofunction}}`, `{{define "x"}}`, `{{else}}`, `{{"unterminated}}`, `{{1 2 .}}`, `{{range}}{{end}}`, `{{.name | 1}}`, `{{/* open }}`, `{{break}}`,
}

var modes = map[string]gotemplate.MissingKeys{
	"missing keys allowed": gotemplate.AllowMissing,
	"missing keys refused": gotemplate.RefuseMissing,
}

func TestSameAsKubectl(t *testing.T) {
	for _, text := range templates {
		for mode, missing := range modes {
			t.Run(mode+"/"+text, func(t *testing.T) { checkSame(t, text, data, missing) })
		}
	}
}

// FuzzSameAsKubectl looks for templates that kubectl, which executes with text/template, treats differently.
func FuzzSameAsKubectl(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	small := strings.Replace(data, "9007199254740993", "4", 1) // a range may count to it
	f.Fuzz(func(t *testing.T, text string) {
		if isEndless(text) {
			t.Skip("may run for very long")
		}
		for _, missing := range modes {
			checkSame(t, text, small, missing)
		}
	})
}

// largeNumber is one that a range should not count to: in hexadecimal, of three digits, or a character.
var largeNumber = regexp.MustCompile(`(?i)0x|[0-9_]{3}|'`)

// isEndless tells whether ranges in ranges, or templates that call each other, may run for very long.
func isEndless(text string) bool {
	calls := strings.Count(text, "template") + strings.Count(text, "block")
	ranges := strings.Count(text, "range")
	return calls > 2 || ranges > 2 || ranges > 0 && (calls > 0 || largeNumber.MatchString(text))
}

// checkSame compares what the template writes, and whether it fails, with kubectl's printer. What is written before a
// failure counts too, but for endless recursion, which ends earlier here.
func checkSame(t *testing.T, text, data string, missing gotemplate.MissingKeys) {
	t.Helper()
	content := map[string]any{}
	if err := kjson.Unmarshal([]byte(data), &content); err != nil {
		t.Fatal(err)
	}
	want, wantErr := byKubectl(text, content, missing)
	got, gotErr := byUs(t, text, data, missing)
	switch {
	case (wantErr == nil) != (gotErr == nil):
		t.Errorf("%q\n error %v\n  want %v", text, gotErr, wantErr)
	case gotErr == nil && got != want:
		t.Errorf("%q writes (-want +got):\n%s", text, cmp.Diff(want, got))
	case gotErr != nil && !strings.HasPrefix(want, got):
		t.Errorf("%q writes %q before it fails (%v), want a beginning of %q", text, got, gotErr, want)
	}
}

func byKubectl(text string, content map[string]any, missing gotemplate.MissingKeys) (string, error) {
	printer, err := printers.NewGoTemplatePrinter([]byte(text))
	if err != nil {
		return "", err
	}
	printer.AllowMissingKeys(missing == gotemplate.AllowMissing)
	var out limited
	err = printer.PrintObj(&unstructured.Unstructured{Object: content}, &out)
	return out.String(), err
}

func byUs(t *testing.T, text, data string, missing gotemplate.MissingKeys) (string, error) {
	t.Helper()
	template, err := gotemplate.Parse(text, missing)
	if err != nil {
		return "", err
	}
	var out limited
	err = template.Execute(&out, decoded(t, data))
	return out.String(), err
}

// decoded reads the data and writes and reads it once more, as kubectl's printer does.
func decoded(t *testing.T, data string) map[string]any {
	t.Helper()
	content := map[string]any{}
	if err := kjson.Unmarshal([]byte(data), &content); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	content = map[string]any{}
	if err := kjson.Unmarshal(again, &content); err != nil {
		t.Fatal(err)
	}
	return content
}

// limited is a buffer that fails when it is full.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len() > 1<<16 {
		return 0, errors.New("too much output")
	}
	return l.Buffer.Write(p)
}
