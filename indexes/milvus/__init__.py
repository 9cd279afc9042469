"""Search in Milvus: in files of this machine, or on a server that many share."""
