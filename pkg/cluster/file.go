package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// File is one input: a name for messages and a way to its bytes.
type File struct {
	Name string
	Open func(context.Context) (io.ReadCloser, error)
}

// endings are the file names that a directory is searched for; each may be followed by ".gz".
var endings = []string{".yaml", ".yml", ".json", ".jsonl", ".ndjson"}

// maxText is the size of the largest file that is read, in bytes after decompression.
const maxText = 1 << 30

// FilesIn lists the files below root that may hold API objects, by their ending and sorted by path; a root that is
// itself a file is taken whatever its ending. Without recursive the folders in root are left alone.
func FilesIn(fsys fs.FS, root string, recursive bool) ([]File, error) {
	var files []File
	err := fs.WalkDir(fsys, root, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", name, pathless(err))
		case entry.IsDir() && name != root && !recursive:
			return fs.SkipDir
		case entry.IsDir() || name != root && !holdsObjects(name):
			return nil
		case !isFile(fsys, name):
			return nil
		}
		files = append(files, File{Name: name, Open: func(context.Context) (io.ReadCloser, error) { return fsys.Open(name) }})
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no file ends in %s: name the files themselves if they are called otherwise",
			root, strings.Join(endings, ", "))
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// isFile leaves out pipes, sockets and devices, which never end; what cannot be looked at is told when it is opened.
func isFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err != nil || info.Mode().IsRegular()
}

func holdsObjects(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(path.Base(name)), ".gz")
	return slices.Contains(endings, path.Ext(name))
}

// text returns what the file says, as UTF-8 with plain line ends and without the logs of a cluster dump.
func (f File) text(ctx context.Context) ([]byte, error) {
	r, err := f.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, pathless(err))
	}
	text, err := readText(r, maxText)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, pathless(err))
	}
	return text, nil
}

// pathless is the error without the path that an fs.PathError repeats.
func pathless(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
