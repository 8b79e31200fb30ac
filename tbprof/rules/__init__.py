"""Facts to findings: one file a rule, and the one list of them, in `registry`.

A rule's docstring is its page: the first line is its title; the headings What, Why,
Example, Fix and Silent come in this order, and `tbprof explain` and the tab show them.
"""
