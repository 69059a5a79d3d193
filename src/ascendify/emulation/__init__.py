"""Stand-ins for the NPU's Python packages that run on a CPU, inside the user's interpreter."""
