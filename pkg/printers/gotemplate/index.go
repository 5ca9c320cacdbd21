package gotemplate

import (
	"errors"
	"fmt"
)

// index returns its first argument indexed by the others: index x 1 "a" is x[1]["a"]. A key that is not there is null.
func index(args []any) (any, error) {
	item := args[0]
	if item == nil {
		return nil, errors.New("null has no elements")
	}
	for _, key := range args[1:] {
		var err error
		if item, err = element(item, key); err != nil {
			return nil, err
		}
	}
	return item, nil
}

func element(item, key any) (any, error) {
	switch item := item.(type) {
	case map[string]any:
		name, ok := key.(string)
		if !ok {
			return nil, fmt.Errorf("the key of a map is a string, not %s", kindOf(key))
		}
		return item[name], nil
	case []any:
		i, err := position(key, len(item)-1)
		if err != nil {
			return nil, err
		}
		return item[i], nil
	case string:
		i, err := position(key, len(item)-1)
		if err != nil {
			return nil, err
		}
		return item[i], nil
	}
	return nil, fmt.Errorf("%s has no elements", kindOf(item))
}

// position returns the number as an index of at most last.
func position(number any, last int) (int, error) {
	n, ok := integer(number)
	switch {
	case !ok:
		return 0, fmt.Errorf("an index is an integer, not %s", kindOf(number))
	case n < 0 || n > int64(last):
		return 0, fmt.Errorf("index out of range: %d", n)
	}
	return int(n), nil
}

// exists tells whether index with the same arguments finds something. As in kubectl, nil as a key is "", and nothing
// without a key exists.
func exists(args []any) (any, error) {
	if len(args) == 1 {
		return true, nil
	}
	item := args[0]
	for _, key := range args[1:] {
		if _, isMap := item.(map[string]any); isMap && key == nil {
			key = ""
		}
		var err error
		if item, err = element(item, key); err != nil {
			return false, nil //nolint:nilerr // the error is the answer
		}
	}
	return item != nil, nil
}

// slice returns a part of its first argument, a string or list: slice x 1 2 is x[1:2], slice x 1 2 3 is x[1:2:3].
func slice(args []any) (any, error) {
	bounds := args[1:]
	switch item := args[0].(type) {
	case string:
		if len(bounds) > 2 {
			return nil, errors.New("a string is sliced by at most two indexes")
		}
		at, err := positions(bounds, len(item), len(item))
		if err != nil {
			return nil, err
		}
		return item[at[0]:at[1]], nil
	case []any:
		if len(bounds) > 3 {
			return nil, errors.New("a list is sliced by at most three indexes")
		}
		at, err := positions(bounds, len(item), cap(item))
		if err != nil {
			return nil, err
		}
		return item[at[0]:at[1]:at[2]], nil
	}
	return nil, fmt.Errorf("%s cannot be sliced", kindOf(args[0]))
}

// positions returns the bounds of a slice, those that are not given set to the whole.
func positions(bounds []any, length, capacity int) ([3]int, error) {
	at := [3]int{0, length, capacity}
	for i, bound := range bounds {
		var err error
		if at[i], err = position(bound, capacity); err != nil {
			return at, err
		}
	}
	if at[0] > at[1] || at[1] > at[2] {
		return at, fmt.Errorf("slice indexes out of order: %v", at[:len(bounds)])
	}
	return at, nil
}

func length(args []any) (any, error) {
	switch item := args[0].(type) {
	case string:
		return len(item), nil
	case []any:
		return len(item), nil
	case map[string]any:
		return len(item), nil
	}
	return nil, fmt.Errorf("%s has no length", kindOf(args[0]))
}
