package upstream

import (
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// syntheticUID is the UID of an object that no API server has stored: upstream tells objects apart by it.
func syntheticUID(parts ...string) types.UID {
	return types.UID("manifest:" + strings.Join(parts, "/"))
}
