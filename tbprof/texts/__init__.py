"""Codes and numbers to English: the sentences that more than one screen or command shows.

Others stand with what they are about: a rule's in its docstring and in the `words.py` of its family;
those of one screen or command with its records in `views` or its output in `cli`; those about a program
that is run in `preflight`; and each error's where it is raised.
"""
