# The smallest cluster, with a program around it: one scheduler, one worker, one web service.
import mars.tensor as mt
from kubernetes import config
from mars.deploy.kubernetes import new_cluster

cluster = new_cluster(config.new_client_from_config())

a = mt.random.rand(10, 10)
print(a.dot(a.T).execute())

cluster.stop()
