package cmd

import (
	stdjson "encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"time"

	"go.uber.org/zap/zapcore"
	logsapi "k8s.io/component-base/logs/api/v1"
	"k8s.io/component-base/logs/json"
	"k8s.io/klog/v2"
)

// logJSON sends the logs of client-go and of the scheduler to the writer, one JSON object a line, as Kubernetes'
// --logging-format=json does. With verbosity 0 these are errors only.
func logJSON(w io.Writer, verbosity int) error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("v", fmt.Sprint(verbosity)); err != nil {
		return err
	}
	errors := zapcore.Lock(json.AddNopSync(w))
	others := errors
	if verbosity <= 0 {
		others = json.AddNopSync(io.Discard)
	}
	threshold := min(max(verbosity, 0), math.MaxInt8) // zap's levels are no larger
	logger, _ := json.NewJSONLogger(logsapi.VerbosityLevel(threshold), others, errors, nil)
	klog.SetLoggerWithOptions(logger, klog.ContextualLogger(true))
	return nil
}

// noteJSON writes a sentence about the run as an entry of such a log.
func noteJSON(w io.Writer, text string) {
	entry, err := stdjson.Marshal(struct {
		Time    float64 `json:"ts"` // as zap has it: milliseconds since 1970
		Message string  `json:"msg"`
		Level   int     `json:"v"`
	}{float64(time.Now().UnixMicro()) / 1000, text, 0})
	if err == nil { // nothing in it could fail
		fmt.Fprintf(w, "%s\n", entry)
	}
}
