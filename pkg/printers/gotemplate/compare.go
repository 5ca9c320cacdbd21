package gotemplate

import (
	"errors"
	"fmt"
)

// equalToAny tells whether the first argument equals one of the others.
func equalToAny(args []any) (any, error) {
	if len(args) == 1 {
		return nil, errors.New("there is nothing to compare with")
	}
	for _, arg := range args[1:] {
		equal, err := isEqual(args[0], arg)
		if err != nil || equal {
			return equal, err
		}
	}
	return false, nil
}

func notEqual(args []any) (any, error) {
	equal, err := isEqual(args[0], args[1])
	return !equal, err
}

func less(args []any) (any, error) {
	return isLess(args[0], args[1])
}

func lessOrEqual(args []any) (any, error) {
	return isLessOrEqual(args[0], args[1])
}

func greater(args []any) (any, error) {
	notGreater, err := isLessOrEqual(args[0], args[1])
	return !notGreater, err
}

func greaterOrEqual(args []any) (any, error) {
	lesser, err := isLess(args[0], args[1])
	return !lesser, err
}

// isEqual compares scalars of one kind. Everything can be compared with null.
func isEqual(a, b any) (bool, error) {
	if a == nil || b == nil {
		return a == nil && b == nil, nil
	}
	if kindOf(a) == kindOf(b) {
		switch kindOf(a) {
		case integerNumber:
			m, _ := integer(a)
			n, _ := integer(b)
			return m == n, nil
		case boolean, floatNumber, complexNumber, text:
			return a == b, nil
		}
	}
	return false, fmt.Errorf("%s cannot be compared with %s", kindOf(a), kindOf(b))
}

// isLess compares numbers of one kind, and strings.
func isLess(a, b any) (bool, error) {
	if kindOf(a) == kindOf(b) {
		switch a := a.(type) {
		case string:
			return a < b.(string), nil
		case float64:
			return a < b.(float64), nil
		case int, int64, uint8:
			m, _ := integer(a)
			n, _ := integer(b)
			return m < n, nil
		}
	}
	return false, fmt.Errorf("%s is neither less nor more than %s", kindOf(a), kindOf(b))
}

func isLessOrEqual(a, b any) (bool, error) {
	lesser, err := isLess(a, b)
	if err != nil || lesser {
		return lesser, err
	}
	return isEqual(a, b)
}
