"""Encoders: read a checkpoint, export it to ONNX, round it, check it against torch."""
