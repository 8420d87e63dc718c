"""The one place that touches torch's private interfaces: the tracer's hooks, and staging beside the tracer."""
