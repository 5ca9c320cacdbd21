package upstream

import (
	"cmp"
	"fmt"

	apiconversion "k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/util/validation/field"
	resourcev1 "k8s.io/kubernetes/pkg/apis/resource/v1"
	"k8s.io/kubernetes/pkg/apis/resource/validation"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// Check refuses objects of device allocation that no API server would have stored, by its own validation: upstream's
// allocator takes them as checked and panics at some, such as a negative count. It is for a State that was read from
// files, after SetDefaults.
func Check(state *cluster.State) error {
	return cmp.Or(
		checkAll(state.DeviceClasses, resourcev1.Convert_v1_DeviceClass_To_resource_DeviceClass,
			validation.ValidateDeviceClass),
		checkAll(state.ResourceSlices, resourcev1.Convert_v1_ResourceSlice_To_resource_ResourceSlice,
			validation.ValidateResourceSlice),
		checkAll(state.ResourceClaims, resourcev1.Convert_v1_ResourceClaim_To_resource_ResourceClaim,
			validation.ValidateResourceClaim),
		checkAll(state.ResourceClaimTemplates,
			resourcev1.Convert_v1_ResourceClaimTemplate_To_resource_ResourceClaimTemplate,
			validation.ValidateResourceClaimTemplate),
	)
}

// checkAll returns the first object that is not valid; I is the API server's internal type.
func checkAll[P cluster.Object, I any](objects []P, convert func(P, *I, apiconversion.Scope) error,
	validate func(*I) field.ErrorList,
) error {
	for _, object := range objects {
		internal := new(I)
		err := convert(object, internal, nil)
		if errs := validate(internal); err == nil && len(errs) > 0 {
			err = errs.ToAggregate()
		}
		if err != nil {
			name := object.GetName()
			if object.GetNamespace() != "" {
				name = object.GetNamespace() + "/" + name
			}
			return fmt.Errorf("%s %s is not as an API server stores it: %w", cluster.KindOf(object).Kind, name, err)
		}
	}
	return nil
}
