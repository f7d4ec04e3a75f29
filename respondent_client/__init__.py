"""The respondent's side: one code path for the browser (under Pyodide) and for the command line.

It shares nothing with the server but ``shared``: what the server says is checked here, on the respondent's
own device, before a group is shown.
"""
