"""Facts to findings: one file a rule, found by its name (`files`).

A rule's docstring is its page: the first line is its title; the headings What, Why, Example, Action,
Fix and Silent come in this order, and whoever shows the rule shows them. Its `RULE` is a
`base.rule.Rule`, or None where no trace can show it.
"""
