"""Pages of text: a rule's, the manual's."""
