package cluster

import (
	"context"
	"errors"
	"slices"
)

// reader decodes the objects of files.
type reader struct {
	// wants tells which kinds are decoded; the others are skipped.
	wants func(*Kind) bool
	// namespace is what an object in a namespace gets that names none.
	namespace string
	// generate tells that an object with a generateName needs no name, as when it is created.
	generate bool
}

// read returns everything that the file holds, in its order.
func (r reader) read(ctx context.Context, file File) ([]found, error) {
	text, err := file.text(ctx)
	if err != nil {
		return nil, err
	}
	all, err := r.decodeText(ctx, file.Name, text, splitYAML)
	if _, ok := errors.AsType[entryError](err); ok && len(text) <= maxLookup {
		// The list is laid out as kubectl does, but its items hang together, as by anchors.
		return r.decodeText(ctx, file.Name, text, func(piece) []piece { return nil })
	}
	return all, err
}

// decodeText decodes all of a text; split may cut a YAML document into pieces.
func (r reader) decodeText(ctx context.Context, name string, text []byte, split func(piece) []piece) ([]found, error) {
	pieces, err := cut(name, text, split)
	if err != nil {
		return nil, err
	}
	results := make([][]found, len(pieces))
	err = inParallel(ctx, len(pieces), func(i int) (err error) {
		results[i], err = r.decodePiece(pieces[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(results...), nil
}

// cut cuts a text into pieces: its documents, and the items of lists where they are found without decoding.
func cut(name string, text []byte, split func(piece) []piece) ([]piece, error) {
	all, err := documents(name, text)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, document := range all {
		parts := []piece{document}
		if document.form == asJSON {
			if parts, err = expand(document); err != nil {
				return nil, err
			}
		} else if entries := split(document); entries != nil {
			parts = entries
		}
		pieces = append(pieces, parts...)
	}
	return pieces, nil
}

// decodePiece decodes one piece, and the items of a list in it.
func (r reader) decodePiece(p piece) ([]found, error) {
	pieces := []piece{p}
	if p.form != asJSON {
		inJSON, err := p.toJSON()
		if err != nil || len(inJSON.text) == 0 {
			return nil, err
		}
		if pieces, err = expand(inJSON); err != nil {
			return nil, err
		}
	}
	var all []found
	for _, p := range pieces {
		if p.text == nil {
			all = append(all, found{place: p.place, empty: kindFor(p.list.itemKind())})
			continue
		}
		f, err := r.decode(p)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
