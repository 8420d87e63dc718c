"""Data flow of one file: what each expression holds, as far as tensors, and numbers read out of tensors, go."""
