package main

import (
	"log"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/cli"
)

var (
	configuration *action.Configuration
	prepare       sync.Once
)

// run is what main does, with nothing left of the command before; main could add its initializer only once.
func run(args []string) int {
	prepare.Do(func() {
		cobra.OnInitialize(func() {
			err := configuration.Init(settings.RESTClientGetter(), settings.Namespace(), os.Getenv("HELM_DRIVER"), debug)
			if err != nil {
				log.Fatal(err)
			}
		})
	})
	settings, configuration = cli.New(), new(action.Configuration)
	command, err := newRootCmd(configuration, os.Stdout, args)
	if err != nil {
		warning("%+v", err)
		return 1
	}
	command.SetArgs(args)
	if err := command.Execute(); err != nil {
		debug("%+v", err)
		return 1
	}
	return 0
}
