"""The respondent's code path inside a browser's worker, under Pyodide."""
