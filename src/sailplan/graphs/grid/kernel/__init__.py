"""The grid for the compiled engine: its edges, the invalid cells by place, and the walls they make up."""
