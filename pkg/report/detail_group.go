package report

// groupDetails are facts of DynamicResources, SchedulingGates and GangScheduling.
var groupDetails = []Detail{}
