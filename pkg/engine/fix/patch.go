package fix

import (
	"encoding/json"
	"reflect"

	"k8s.io/apimachinery/pkg/util/strategicpatch"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// mergeType is the type of a patch, as kubectl calls it, that is no strategic merge patch.
const mergeType = "merge"

// patch is what makes one object of the other, and its type: a strategic merge patch, for which type is empty, or where
// that does not tell list items apart, such as two ports of one number, a JSON merge patch.
func patch[T any](before, after *T) (data, kind string, err error) {
	old, err := json.Marshal(before)
	if err != nil {
		return "", "", err
	}
	changed, err := json.Marshal(after)
	if err != nil {
		return "", "", err
	}
	strategic, err := strategicpatch.CreateTwoWayMergePatch(old, changed, new(T))
	if err == nil && makes(old, strategic, after) {
		return string(strategic), "", nil
	}
	merge, err := jsonpatch.CreateMergePatch(old, changed)
	return string(merge), mergeType, err
}

// makes tells whether a strategic merge patch makes of the old object what is wanted.
func makes[T any](old, patch []byte, want *T) bool {
	patched, err := strategicpatch.StrategicMergePatch(old, patch, new(T))
	if err != nil {
		return false
	}
	got, wanted := new(T), new(T)
	text, err := json.Marshal(want)
	return err == nil && json.Unmarshal(patched, got) == nil && json.Unmarshal(text, wanted) == nil &&
		reflect.DeepEqual(got, wanted)
}
