package main

import helmcmd "helm.sh/helm/v4/pkg/cmd"

func run(args []string) int {
	return helmcmd.Resident(args)
}
