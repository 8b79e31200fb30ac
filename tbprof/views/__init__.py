"""Reports to what one screen or one command shows: plain records, no drawing.

Sentences come from `tbprof.texts` and from the rules; a few that only one screen has stand with its records.
Field names are the keys of the JSON that the tab reads; `tbprof.views.typescript` prints
them as TypeScript.
"""
