// Package gotemplate executes Go templates over JSON data, as kubectl does for -o go-template.
//
// The language is text/template's, read by its own parser, with kubectl's exists and base64decode. What a template
// prints, and whether it fails, is as with text/template; errors have words of their own, and templates may call each
// other less deep. The executor is another, because text/template's looks methods up by name: a program that holds it
// keeps every exported method of every type it reaches, some 30 MB more with the scheduler linked in.
// JSON data has no methods, so none are looked up here.
//
// The values are those that decoding JSON gives, map[string]any, []any, string, int64, float64, bool and nil, and those
// that literals and functions give: int, complex128 and uint8. The package needs no reflect and must not import it.
package gotemplate
