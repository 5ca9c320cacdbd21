package cluster

import "bytes"

// entryError is the error of an entry that was cut out of a list; as a part of the whole it may parse.
type entryError struct{ error }

// itemsKey is the line before the items of a list as kubectl writes it.
var itemsKey = []byte("items:\n")

// splitYAML cuts the YAML list that `kubectl get -o yaml` writes into its items, which are then decoded side by side
// and without building the whole list in memory. It returns nothing when the text is laid out in another way.
func splitYAML(p piece) []piece {
	start := lineStarting(p.text, 0, itemsKey)
	if start < 0 {
		return nil
	}
	start += len(itemsKey)
	end := start
	var starts []int
	for line := range bytes.Lines(p.text[start:]) {
		if bytes.HasPrefix(line, []byte("- ")) {
			starts = append(starts, end)
		} else if line[0] != ' ' && line[0] != '\n' && line[0] != '#' {
			break
		}
		end += len(line)
	}
	rest := piece{place: p.place, form: asYAML, text: bytes.Join([][]byte{p.text[:start], p.text[end:]}, nil)}
	rest, err := rest.toJSON()
	if err != nil || len(rest.text) == 0 || len(starts) == 0 {
		return nil
	}
	h, err := rest.header()
	if err != nil || !h.list {
		return nil
	}
	return p.entries(h, append(starts, end))
}

// entries cuts the text at the bounds into entries of the list h.
func (p piece) entries(h header, bounds []int) []piece {
	var found []piece
	line := p.line + bytes.Count(p.text[:bounds[0]], []byte("\n"))
	for i, start := range bounds[:len(bounds)-1] {
		entry := piece{place: p.item(i), form: asEntry, text: p.text[start:bounds[i+1]], list: h}
		entry.source, entry.line, entry.path = entry.text, line, "[0]"
		found = append(found, entry)
		line += bytes.Count(entry.text, []byte("\n"))
	}
	return found
}
