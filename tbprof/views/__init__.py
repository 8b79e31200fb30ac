"""Reports to what one screen or one command shows: plain records, no drawing.

Every sentence is one of `tbprof.texts`.
Field names are the keys of the JSON that the tab reads; `tbprof.views.typescript` prints
them as TypeScript.
"""
