"""The web page of `sailplan serve`: a server that searches, and the page that shows the searches.

`sailplan.web.server` has `create_app` and `serve`. This module imports nothing, so that the command line can say which
packages are missing.
"""
