"""One module or package a format: each recognizes its files and reads them to columns."""
