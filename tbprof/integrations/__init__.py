"""The hook as part of other frameworks' trainers; one file a framework, which alone imports it."""
