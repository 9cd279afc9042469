"""Fine-tuning of encoders, whatever they learn: texts, weights, steps, checkpoints."""
