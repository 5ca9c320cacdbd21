package printers

import (
	"slices"
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
	return inBinaryUnits(q.Value())
}

// readableOf is readable for a quantity of a resource: what is counted in bytes it writes in binary units, whatever
// the quantity is written in.
func readableOf(name, quantity string) string {
	q, err := resource.ParseQuantity(quantity)
	if err != nil || !slices.Contains([]string{"memory", "ephemeral-storage"}, name) || len(quantity) <= len("1023Gi") {
		return readable(quantity)
	}
	if q.Sign() < 0 {
		return "-" + inBinaryUnits(-q.Value())
	}
	return inBinaryUnits(q.Value())
}

func inBinaryUnits(bytes int64) string {
	value, unit := float64(bytes), 0
	for value >= 1024 && unit < len(binaryUnits)-1 {
		value, unit = value/1024, unit+1
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + binaryUnits[unit]
}
