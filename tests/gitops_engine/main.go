// Command gitops_engine says what Argo CD would say about the objects of an application, by its own code.
//
// It reads a JSON list of pairs {"desired": object, "live": object} from stdin, either of which may be missing or null, and prints
// {"health": ..., "synced": ..., "objects": [...]}: the application's health, whether nothing differs, and the same of each object.
// Newer versions of Argo CD (3.5) read the annotation that leaves an object out of the health from what is live, and older ones (3.1)
// from what is desired: -annotations says which.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/argoproj/gitops-engine/pkg/diff"
	"github.com/argoproj/gitops-engine/pkg/health"
	"github.com/argoproj/gitops-engine/pkg/sync/hook"
	"github.com/argoproj/gitops-engine/pkg/sync/ignore"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Argo CD's, in its common/common.go.
const ignoreHealth = "argocd.argoproj.io/ignore-healthcheck"

type pair struct {
	Desired *unstructured.Unstructured `json:"desired"`
	Live    *unstructured.Unstructured `json:"live"`
}

type verdict struct {
	Kind      string          `json:"kind"`
	Name      string          `json:"name"`
	Health    string          `json:"health,omitempty"`
	Message   string          `json:"message,omitempty"`
	Counts    bool            `json:"counts"` // for the application's health
	Synced    bool            `json:"synced"`
	Live      json.RawMessage `json:"live,omitempty"`      // normalized, where it differs
	Predicted json.RawMessage `json:"predicted,omitempty"` // after a sync, where it differs
}

type application struct {
	Health  health.HealthStatusCode `json:"health"`
	Synced  bool                    `json:"synced"`
	Objects []verdict               `json:"objects"`
}

func main() {
	annotations := flag.String("annotations", "live", "whose annotations say that an object does not count: live or desired")
	flag.Parse()
	if err := run(os.Stdin, os.Stdout, *annotations == "live"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer, byLive bool) error {
	var pairs []pair
	if err := json.NewDecoder(in).Decode(&pairs); err != nil {
		return err
	}
	whole := application{Health: health.HealthStatusHealthy, Synced: true, Objects: []verdict{}}
	for _, one := range pairs {
		judged, err := judge(one, byLive)
		if err != nil {
			return fmt.Errorf("%s %s: %w", judged.Kind, judged.Name, err)
		}
		whole.Synced = whole.Synced && judged.Synced
		if code := health.HealthStatusCode(judged.Health); judged.Counts && health.IsWorse(whole.Health, code) {
			whole.Health = code
		}
		whole.Objects = append(whole.Objects, judged)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", " ")
	return encoder.Encode(whole)
}

func judge(one pair, byLive bool) (verdict, error) {
	known := one.Live
	if known == nil {
		known = one.Desired
	}
	if known == nil {
		return verdict{}, errors.New("neither desired nor live")
	}
	judged := verdict{Kind: known.GetKind(), Name: known.GetName()}
	if hook.IsHook(known) || ignore.Ignore(known) || (one.Desired != nil && hook.Skip(one.Desired)) {
		judged.Synced = true // hooks and tests are not part of what is compared
		return judged, nil
	}
	if err := judged.addHealth(one, byLive); err != nil {
		return judged, err
	}
	return judged, judged.addDiff(one)
}

// addHealth follows setApplicationHealth in Argo CD's controller/health.go.
func (judged *verdict) addHealth(one pair, byLive bool) error {
	status := &health.HealthStatus{Status: health.HealthStatusMissing}
	if one.Live != nil {
		var err error
		if status, err = health.GetResourceHealth(one.Live, nil); err != nil {
			return err
		}
	} else if health.GetHealthCheckFunc(one.Desired.GroupVersionKind()) == nil {
		status = nil // what has no check does not count, even where it is missing
	}
	if status == nil {
		return nil
	}
	judged.Health, judged.Message = string(status.Status), status.Message
	marked := one.Desired
	if byLive {
		marked = one.Live
	}
	judged.Counts = marked == nil || marked.GetAnnotations()[ignoreHealth] != "true"
	return nil
}

func (judged *verdict) addDiff(one pair) error {
	result, err := diff.Diff(one.Desired, one.Live)
	if err != nil {
		return err
	}
	judged.Synced = !result.Modified
	if result.Modified {
		judged.Live, judged.Predicted = result.NormalizedLive, result.PredictedLive
	}
	return nil
}
