package printers

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// binaryUnits are the suffixes of byte quantities, each 1024 times the one before it.
var binaryUnits = []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}

// readable writes a number of bytes that has no short exact form with one decimal: "24302736Ki" as "23.2Gi". All other
// quantities it returns as they are.
func readable(quantity string) string {
	q, err := resource.ParseQuantity(quantity)
	if err != nil || q.Format != resource.BinarySI || len(quantity) <= len("1023Gi") {
		return quantity
	}
	value, unit := float64(q.Value()), 0
	for value >= 1024 && unit < len(binaryUnits)-1 {
		value, unit = value/1024, unit+1
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + binaryUnits[unit]
}
