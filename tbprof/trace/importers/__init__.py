"""One module or package a format: each recognises its files and reads them to columns."""
