package cluster

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	gzipMagic = []byte{0x1f, 0x8b}
	utf8BOM   = []byte("\xef\xbb\xbf")
	utf16LE   = []byte("\xff\xfe")
	utf16BE   = []byte("\xfe\xff")

	logStart = []byte("==== START logs for container ")
	logEnd   = []byte("==== END logs for container ")
)

// readText reads at most limit bytes of text, compressed or not, in any of the encodings that tools write.
func readText(r io.Reader, limit int64) ([]byte, error) {
	buffered := bufio.NewReader(r)
	r = buffered
	if magic, _ := buffered.Peek(len(gzipMagic)); bytes.Equal(magic, gzipMagic) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, unzipError(err)
		}
		r = unzipped
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case err != nil && r != buffered:
		return nil, unzipError(err)
	case err != nil:
		return nil, err
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("more than %d MiB: split it into several files", limit>>20)
	}
	return plainText(data)
}

func unzipError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the gzip data ends too early: was the file cut off? copy or save it again")
	}
	return fmt.Errorf("unpacking gzip: %w", err)
}

// plainText makes UTF-8 with plain line ends of data.
func plainText(data []byte) ([]byte, error) {
	switch {
	case bytes.HasPrefix(data, utf16LE):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, utf16BE):
		data = fromUTF16(data[2:], binary.BigEndian)
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return nil, errors.New("holds binary data: give YAML or JSON, in UTF-8 or in UTF-16 with a byte order mark")
	}
	data = bytes.TrimPrefix(data, utf8BOM)
	if bytes.Contains(data, utf8BOM) { // files that were concatenated
		data = bytes.ReplaceAll(data, append([]byte("\n"), utf8BOM...), []byte("\n"))
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	}
	return blankLogs(data), nil
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// blankLogs overwrites the container logs that `kubectl cluster-info dump` writes between the lists. Line ends stay,
// so that line numbers do. A log may hold anything and may end within a line.
func blankLogs(data []byte) []byte {
	for from := 0; ; {
		start := lineStarting(data, from, logStart)
		if start < 0 {
			return data
		}
		title, _, _ := bytes.Cut(data[start+len(logStart):], []byte("\n"))
		closing := append(bytes.Clone(logEnd), title...)
		end := len(data)
		if i := bytes.Index(data[start:], closing); i >= 0 {
			end = start + i + len(closing)
		}
		for i := start; i < end; i++ {
			if data[i] != '\n' {
				data[i] = ' '
			}
		}
		from = end
	}
}

// lineStarting returns where the first line at or after from starts that has the prefix, or -1.
func lineStarting(data []byte, from int, prefix []byte) int {
	for {
		i := bytes.Index(data[from:], prefix)
		if i < 0 {
			return -1
		}
		if from += i; from == 0 || data[from-1] == '\n' {
			return from
		}
		from += len(prefix)
	}
}
