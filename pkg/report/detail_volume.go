package report

// volumeDetails are facts of VolumeBinding, VolumeZone, VolumeRestrictions and NodeVolumeLimits.
var volumeDetails = []Detail{}
