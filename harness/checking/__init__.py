"""What `standfast check` proves of a scenario file beyond what `load` demands, offline and in process."""
