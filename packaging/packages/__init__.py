"""A module for each kind of package. `pack(binary, pages, out)` returns the paths that it wrote."""
