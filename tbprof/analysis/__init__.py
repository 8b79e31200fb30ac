"""Columns to facts: steps, nesting, links, sync points, copies, sites, idle.

What counts as what is laid down sentence by sentence in the docstrings of these modules;
two independent derivations agreed on 53 real traces when it was read that way.
"""
