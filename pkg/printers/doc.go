// Package printers writes reports to an io.Writer: a table for people, and the formats that scripts read, through
// cli-runtime all but Go templates.
//
// It reads reports and nothing else: it knows no engine, no cluster, no flags and no streams. The table shows every
// string of a report escaped, since names and messages come from whoever may write to the cluster; the machine formats
// print them as they are. Equal reports and options give equal bytes; in East Asian locales some characters are counted
// as two columns wide, as terminals there show them.
package printers
