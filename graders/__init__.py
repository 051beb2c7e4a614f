"""Pure functions: recorded calls or text in, label and reason out. They know neither clock nor network nor model."""

# Rises whenever a recorded trial or text could get another label than before.
GRADER_VERSION = "4"
