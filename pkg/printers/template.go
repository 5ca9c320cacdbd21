package printers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers/gotemplate"
)

// templateFormats are kubectl's formats of Go templates: go-template=TEMPLATE, go-template-file=FILE.
type templateFormats struct {
	options Options
}

// AllowedFormats implements formats.
func (templateFormats) AllowedFormats() []string {
	return []string{"go-template", "go-template-file", "template", "templatefile"}
}

// ToPrinter implements formats.
func (f templateFormats) ToPrinter(output string) (printers.ResourcePrinter, error) {
	format, text, _ := strings.Cut(output, "=")
	if !slices.Contains(f.AllowedFormats(), format) {
		return nil, genericclioptions.NoCompatiblePrinterError{OutputFormat: &output, AllowedFormats: f.AllowedFormats()}
	}
	if text == "" {
		return nil, errors.New("template format specified but no template given")
	}
	if strings.HasSuffix(format, "file") {
		data, err := os.ReadFile(text)
		if err != nil {
			return nil, fmt.Errorf("reading the template: %w", err)
		}
		text = string(data)
	}
	missing := gotemplate.AllowMissing
	if f.options.RequireKeys {
		missing = gotemplate.RefuseMissing
	}
	template, err := gotemplate.Parse(text, missing)
	if err != nil {
		return nil, err
	}
	return templatePrinter{template}, nil
}

// templatePrinter prints objects by a Go template.
type templatePrinter struct {
	template *gotemplate.Template
}

// PrintObj implements printers.ResourcePrinter. The template sees the object's JSON, with whole numbers as int64.
func (p templatePrinter) PrintObj(object runtime.Object, w io.Writer) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		return err
	}
	return p.template.Execute(w, content)
}
