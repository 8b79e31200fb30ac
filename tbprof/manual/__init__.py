"""The manual: Markdown pages that ship with the package, for the terminal and the tab."""
