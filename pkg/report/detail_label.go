package report

// labelDetails are facts of NodeAffinity.
var labelDetails = []Detail{}
