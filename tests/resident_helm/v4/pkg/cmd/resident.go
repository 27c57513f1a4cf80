package cmd

import (
	"errors"
	"log"
	"log/slog"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/cli"
)

var (
	configuration *action.Configuration
	prepare       sync.Once
)

// Resident is what main does, with nothing left of the command before; NewRootCmd would add an initializer each time.
func Resident(args []string) int {
	prepare.Do(func() {
		cobra.OnInitialize(func() {
			err := configuration.Init(settings.RESTClientGetter(), settings.Namespace(), os.Getenv("HELM_DRIVER"))
			if err != nil {
				log.Fatal(err)
			}
		})
	})
	settings, configuration = cli.New(), action.NewConfiguration()
	command, err := newRootCmdWithConfig(configuration, os.Stdout, args, SetupLogging)
	if err != nil {
		slog.Warn("command failed", slog.Any("error", err))
		return 1
	}
	command.SetArgs(args)
	if err := command.Execute(); err != nil {
		var failure CommandError
		if errors.As(err, &failure) {
			return failure.ExitCode
		}
		return 1
	}
	return 0
}
