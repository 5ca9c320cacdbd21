package upstream

// convertedVersions are the versions of the configuration that are read by conversion, oldest first.
var convertedVersions = []string{"v1beta1", "v1beta2", "v1beta3"}

// removedPlugin is a plugin of an old version that is gone.
type removedPlugin struct {
	name string
	// instead says what to use now.
	instead string
	// strategy is the scoringStrategy of NodeResourcesFit that the plugin became, if it did.
	strategy string
}

// removedPlugins serves the conversion, and the advice when a v1 file names one.
var removedPlugins = []removedPlugin{
	{name: "AzureDiskLimits", instead: "NodeVolumeLimits counts volumes of CSI drivers"},
	{name: "CinderLimits", instead: "NodeVolumeLimits counts volumes of CSI drivers"},
	{name: "DefaultPodTopologySpread", instead: "PodTopologySpread, on by default, does much the same"},
	{name: "EBSLimits", instead: "NodeVolumeLimits counts volumes of CSI drivers"},
	{name: "GCEPDLimits", instead: "NodeVolumeLimits counts volumes of CSI drivers"},
	{name: "NodeLabel", instead: "use addedAffinity of NodeAffinity"},
	{name: "NodePreferAvoidPods", instead: "use taints of effect PreferNoSchedule"},
	{name: "NodeResourceLimits", instead: "nothing took its place"},
	{name: leastAllocatedPlugin, instead: fitInstead, strategy: "LeastAllocated"},
	{name: "NodeResourcesMostAllocated", instead: fitInstead, strategy: "MostAllocated"},
	{name: "RequestedToCapacityRatio", instead: fitInstead, strategy: "RequestedToCapacityRatio"},
	{name: "SelectorSpread", instead: "PodTopologySpread, on by default, does much the same"},
	{name: "ServiceAffinity", instead: "use affinity between Pods (InterPodAffinity)"},
}

const fitInstead = "NodeResourcesFit scores by a scoringStrategy of its args"

// removedFields are the fields at the top of a configuration that v1 has no place for.
var removedFields = []struct{ name, why string }{
	{name: "healthzBindAddress", why: "kube-scheduler serves health checks on its secure port"},
	{name: "metricsBindAddress", why: "kube-scheduler serves metrics on its secure port"},
}

// removedLocks are the kinds of leader election lock that v1 refuses.
var removedLocks = []string{"configmaps", "configmapsleases", "endpoints", "endpointsleases"}

// raisedWeights are the default score weights that changed from v1beta2 to v1beta3.
var raisedWeights = []struct {
	plugin   string
	was, now int32
}{
	{plugin: "InterPodAffinity", was: 1, now: 2},
	{plugin: "NodeAffinity", was: 1, now: 2},
	{plugin: "TaintToleration", was: 1, now: 3},
}
