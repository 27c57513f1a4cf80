# Somebody meant to call new_cluster(...) here.
cluster = None
