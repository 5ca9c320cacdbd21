package gotemplate_test

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers/gotemplate"
)

func TestErrorsTellWhere(t *testing.T) {
	tests := map[string]struct {
		text string
		want string
	}{
		"an action that is not closed": {
			text: "a\n{{.name",
			want: `template: output:2: unclosed action`,
		},
		"a function that is not there": {
			text: `{{upper .name}}`,
			want: `template: output:1: function "upper" not defined`,
		},
		"a field of a string, with line and column": {
			text: "a\n {{.name.first}}",
			want: `template: output:2:8: executing "output" at <.name.first>: a string has no field first`,
		},
		"a field of null": {
			text: `{{.null.x}}`,
			want: `template: output:1:7: executing "output" at <.null.x>: null has no field x`,
		},
		"a key that is not there": {
			text: `{{.map.absent}}`,
			want: `template: output:1:6: executing "output" at <.map.absent>: there is no key "absent"`,
		},
		"an error in a template that is called": {
			text: `{{define "t"}}{{len .}}{{end}}{{template "t" 1}}`,
			want: `template: output:1:16: executing "t" at <len>: calling len: an integer has no length`,
		},
		"a template that is not there": {
			text: `{{template "t"}}`,
			want: `template: output:1:11: executing "output" at <{{template "t"}}>: template "t" is not defined`,
		},
		"a wrong number of arguments": {
			text: `{{len .list .map}}`,
			want: `template: output:1:2: executing "output" at <len>: wrong number of arguments for len: 2`,
		},
		"arguments for what is no function": {
			text: `{{1 | .name}}`,
			want: `template: output:1:6: executing "output" at <.name>: it is no function and takes no arguments`,
		},
		"values of two kinds": {
			text: `{{eq .n "3"}}`,
			want: `template: output:1:2: executing "output" at <eq>: calling eq: an integer cannot be compared with a string`,
		},
		"a range over a string": {
			text: `{{range .name}}{{end}}`,
			want: `template: output:1:8: executing "output" at <.name>: cannot range over a string`,
		},
		"an index beyond the list": {
			text: `{{index .list 3}}`,
			want: `template: output:1:2: executing "output" at <index>: calling index: index out of range: 3`,
		},
		"templates that call each other without end": {
			text: `{{define "t"}}{{template "t"}}{{end}}{{template "t"}}`,
			want: `template: output:1:25: executing "t" at <{{template "t"}}>: ` +
				`templates call each other more than 10000 deep`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := byUs(t, test.text, data, gotemplate.RefuseMissing)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// closed is a writer that nobody reads.
type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestExecuteReturnsTheWritersError(t *testing.T) {
	for _, text := range []string{`text`, `{{.name}}`, `{{range .list}}{{.}}{{end}}`} {
		template, err := gotemplate.Parse(text, gotemplate.AllowMissing)
		if err != nil {
			t.Fatal(err)
		}
		if err := template.Execute(closed{}, decoded(t, data)); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: error %v, want that of the writer", text, err)
		}
	}
}

// A template keeps nothing of what it was executed with.
func TestExecuteAgain(t *testing.T) {
	template, err := gotemplate.Parse(`{{$x := .}}{{define "t"}}{{.}}{{end}}{{template "t" $x}}`, gotemplate.AllowMissing)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"a", "b"} {
		var out limited
		if err := template.Execute(&out, data); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(data, out.String()); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
	}
}
