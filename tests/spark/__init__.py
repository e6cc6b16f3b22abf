"""Real Spark sessions on this machine."""
