"""Reports to what one screen or one command shows: plain records, no prose, no drawing.

Sentences come in through `tbprof.views.base.sentences.Sentences`, which `tbprof.texts` speaks.
Field names are the keys of the JSON that the tab reads; `tbprof.views.typescript` prints
them as TypeScript.
"""
