"""What the numbers of a finding say in a sentence: a module for a family of rules, a function for a rule.

Found by their names, as rules are. They stand beside the rules so that a report can be printed where no trace
is analyzed: what a rule searches with takes longer to import than all else that is printed.
"""
