package upstream

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	baseversion "k8s.io/component-base/version"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// linkedScheduler names the kube-scheduler whose code this is, in messages.
const linkedScheduler = "kube-scheduler " + baseversion.DefaultKubeBinaryVersion

// Config is a decoded KubeSchedulerConfiguration and what reading it changed.
type Config struct {
	// KubeSchedulerConfiguration is upstream's internal type, defaulted and validated.
	KubeSchedulerConfiguration *schedulerapi.KubeSchedulerConfiguration
	// Warnings say, one line each, what was converted, dropped or has no effect; each starts with the file's name.
	Warnings []string
}

// ExtendersBind tells whether an extender of the configuration binds Pods in place of a plugin.
func (c *Config) ExtendersBind() bool {
	return slices.ContainsFunc(c.KubeSchedulerConfiguration.Extenders, func(extender schedulerapi.Extender) bool {
		return extender.BindVerb != ""
	})
}

// DefaultConfig is what kube-scheduler runs with when no file is given. It depends on the feature gates (see SetGates).
func DefaultConfig() (*Config, error) {
	config, err := latest.Default()
	if err != nil {
		return nil, fmt.Errorf("building the default scheduler configuration: %w", err)
	}
	if err := validateConfig(config); err != nil {
		return nil, fmt.Errorf("building the default scheduler configuration: %w", err)
	}
	return &Config{KubeSchedulerConfiguration: config}, nil
}

// ReadConfig decodes the KubeSchedulerConfiguration in data. The name is the file's, for messages; outOfTree are the
// plugins that are linked in beside kube-scheduler's own.
//
// Version v1 is decoded strictly, as kube-scheduler does; v1beta1, v1beta2 and v1beta3 are converted to v1 first, with
// warnings. A plugin that does not exist is an error also in pluginConfig, where kube-scheduler passes over it in
// silence. Defaults and rules depend on the feature gates, so SetGates comes before.
func ReadConfig(name string, data []byte, outOfTree ...string) (*Config, error) {
	config, err := readConfig(data, outOfTree)
	if err != nil {
		// Names taken from the file may hold line breaks.
		return nil, fmt.Errorf("%s: %s", name, oneLine(err.Error()))
	}
	for i, warning := range config.Warnings {
		config.Warnings[i] = name + ": " + warning
	}
	return config, nil
}

func readConfig(data []byte, outOfTree []string) (*Config, error) {
	document, err := onlyDocument(data)
	if err != nil {
		return nil, err
	}
	version, err := configVersion(document)
	if err != nil {
		return nil, err
	}
	var warnings []string
	if version != currentVersion {
		warnings = convert(version, document)
	}
	config, err := decodeConfig(document)
	if err != nil {
		return nil, err
	}
	idle, err := checkPlugins(profilesOf(document), outOfTree)
	if err != nil {
		return nil, err
	}
	if err := validateConfig(config); err != nil {
		return nil, err
	}
	return &Config{KubeSchedulerConfiguration: config, Warnings: append(warnings, idle...)}, nil
}

// decodeConfig mirrors how kube-scheduler loads its --config: strict decoding, defaults, and the version put back,
// which validation asks for.
func decodeConfig(document map[string]any) (*schedulerapi.KubeSchedulerConfiguration, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	object, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, decodingError(err)
	}
	config, ok := object.(*schedulerapi.KubeSchedulerConfiguration)
	if !ok {
		return nil, notAConfig("is a " + kind.Kind)
	}
	config.APIVersion = kind.GroupVersion().String()
	return config, nil
}

// decodingError puts what upstream's decoder says into one line that says what to do.
func decodingError(err error) error {
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		var texts []string
		for _, each := range strict.Errors() {
			texts = append(texts, strings.ReplaceAll(oneLine(each.Error()), "strict decoding error: ", ""))
		}
		return fmt.Errorf("%s; remove it or correct its name", strings.Join(texts, ", "))
	}
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		where, _, _ := strings.Cut(oneLine(err.Error()), "json: ")
		return fmt.Errorf("%sfield %q: want %s, got %s", where, wrongType.Field, typeWord(wrongType.Type), wrongType.Value)
	}
	text := oneLine(err.Error())
	if known, _, found := strings.Cut(text, " in scheme "); found {
		return fmt.Errorf("%s; leave apiVersion and kind out of args", known)
	}
	if where, _, found := strings.Cut(text, "couldn't get version/kind"); found {
		return fmt.Errorf("%swant an object of args", where)
	}
	if strings.Contains(text, "time: ") {
		return fmt.Errorf("%s; write a duration as 10s or 5m", text)
	}
	return errors.New(text)
}

// typeWord says a Go type in the words of YAML.
func typeWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

func validateConfig(config *schedulerapi.KubeSchedulerConfiguration) error {
	if err := checkSchedulerNames(config.Profiles); err != nil {
		return err
	}
	var errs []error
	if err := validation.ValidateKubeSchedulerConfiguration(config); err != nil {
		errs = err.Errors()
	}
	// Upstream leaves these to the plugin's constructor, where the profile and the file are no longer known.
	for i := range config.Profiles {
		errs = append(errs, validateFit(field.NewPath("profiles").Index(i), config.Profiles[i].PluginConfig)...)
	}
	return joinSorted(errs)
}

func validateFit(profile *field.Path, configs []schedulerapi.PluginConfig) []error {
	for i := range configs {
		args, ok := configs[i].Args.(*schedulerapi.NodeResourcesFitArgs)
		if !ok || configs[i].Name != names.NodeResourcesFit {
			continue
		}
		path := profile.Child("pluginConfig").Index(i).Child("args")
		if err := validation.ValidateNodeResourcesFitArgs(path, args); err != nil {
			return []error{err}
		}
	}
	return nil
}

// checkSchedulerNames comes before upstream's own check, whose message shows the first profile's path as an object.
func checkSchedulerNames(profiles []schedulerapi.KubeSchedulerProfile) error {
	first := map[string]int{}
	for i := range profiles {
		name := profiles[i].SchedulerName
		if earlier, ok := first[name]; ok && name != "" {
			return fmt.Errorf("profiles[%d].schedulerName: %q is the name of profiles[%d] already; give each profile its own",
				i, name, earlier)
		}
		first[name] = i
	}
	return nil
}

// joinSorted makes one line of several errors; upstream finds them in the order of a map.
func joinSorted(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	errs = utilerrors.Flatten(utilerrors.NewAggregate(errs)).Errors()
	slices.SortFunc(errs, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	texts := make([]string, 0, len(errs))
	for _, err := range errs {
		texts = append(texts, oneLine(err.Error()))
	}
	return errors.New(strings.Join(slices.Compact(texts), "; "))
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
