"""Pictures of graphs: read from FX, exported programs and ONNX models, laid out by Graphviz."""
