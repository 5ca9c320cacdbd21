package run

import (
	"fmt"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

type newInformer func(informers.SharedInformerFactory) cache.SharedIndexInformer

// informersOf is where a factory has the informer of each kind that a scheduler reads, by resource. The factory's own
// ForResource would link the informers of all kinds that there are, some 5 MB.
var informersOf = map[string]newInformer{
	"nodes": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Nodes().Informer()
	},
	"pods": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Pods().Informer()
	},
	"namespaces": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Namespaces().Informer()
	},
	"persistentvolumes": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().PersistentVolumes().Informer()
	},
	"persistentvolumeclaims": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().PersistentVolumeClaims().Informer()
	},
	"services": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().Services().Informer()
	},
	"replicationcontrollers": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Core().V1().ReplicationControllers().Informer()
	},
	"replicasets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().ReplicaSets().Informer()
	},
	"statefulsets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Apps().V1().StatefulSets().Informer()
	},
	"poddisruptionbudgets": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Policy().V1().PodDisruptionBudgets().Informer()
	},
	"storageclasses": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().StorageClasses().Informer()
	},
	"csinodes": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().CSINodes().Informer()
	},
	"csidrivers": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().CSIDrivers().Informer()
	},
	"csistoragecapacities": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().CSIStorageCapacities().Informer()
	},
	"volumeattachments": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Storage().V1().VolumeAttachments().Informer()
	},
	"resourceclaims": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().ResourceClaims().Informer()
	},
	"resourceslices": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().ResourceSlices().Informer()
	},
	"deviceclasses": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().DeviceClasses().Informer()
	},
	"devicetaintrules": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Resource().V1().DeviceTaintRules().Informer()
	},
	"podgroups": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Scheduling().V1beta1().PodGroups().Informer()
	},
	"workloads": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Scheduling().V1beta1().Workloads().Informer()
	},
	"compositepodgroups": func(f informers.SharedInformerFactory) cache.SharedIndexInformer {
		return f.Scheduling().V1alpha3().CompositePodGroups().Informer()
	},
}

// informer returns the informer of a kind.
func (f *feed) informer(kind *cluster.Kind) (cache.SharedIndexInformer, error) {
	of, ok := informersOf[kind.Resource]
	if !ok {
		return nil, fmt.Errorf("no scheduler watches %s", kind.Resource)
	}
	return of(f.factory), nil
}
