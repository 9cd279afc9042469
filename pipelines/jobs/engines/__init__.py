"""What runs the shards of a stage: the processes of this machine, or Ray's of a cluster."""
