"""`python -m sailplan`."""

from sailplan.cli import main

main()
