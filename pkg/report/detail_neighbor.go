package report

// neighborDetails are facts of PodTopologySpread and InterPodAffinity.
var neighborDetails = []Detail{}
