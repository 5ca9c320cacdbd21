package main

import (
	_ "github.com/olekukonko/tablewriter"
	_ "github.com/spf13/cobra"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "k8s.io/api/core/v1"
	_ "k8s.io/cli-runtime/pkg/genericclioptions"
	_ "k8s.io/cli-runtime/pkg/printers"
	_ "k8s.io/cli-runtime/pkg/resource"
	_ "k8s.io/client-go/kubernetes"
	_ "k8s.io/client-go/plugin/pkg/client/auth"
	_ "k8s.io/component-helpers/scheduling/corev1"
	_ "k8s.io/kube-scheduler/config/v1"
	_ "k8s.io/kubectl/pkg/util/templates"
	_ "k8s.io/kubernetes/pkg/scheduler"
	_ "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/plugin/pkg/admission/priority"
	_ "sigs.k8s.io/yaml"
)

func main() {}
