"""Release of graphs from the device."""
