"""Codes and numbers to English: the sentences that more than one screen or command shows.

Others stand with what they are about: a rule's in its docstring, in `rules.notes` and in
`rules.base.passing`; those of one screen or command with its records in `views` or its output in
`cli.output`; those about a program that is run in `preflight`; and each error's where it is raised.
"""
