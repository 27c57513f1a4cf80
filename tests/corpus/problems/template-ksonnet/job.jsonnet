local params = std.extVar("__ksonnet/params").components.train;
local k = import "k.libsonnet";
{
  apiVersion: "kubeflow.org/v1beta1",
  kind: "TFJob",
  metadata: { name: params.name },
}
