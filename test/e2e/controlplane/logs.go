package controlplane

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteLogs writes the last lines of every log in dir to w, for a test that failed.
func WriteLogs(w io.Writer, dir string, lines int) error {
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return err
	}
	for _, path := range logs {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "==> %s <==\n%s\n", path, tail(data, lines)); err != nil {
			return err
		}
	}
	return nil
}

func tail(data []byte, lines int) []byte {
	all := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	return bytes.Join(all[max(0, len(all)-lines):], []byte("\n"))
}
