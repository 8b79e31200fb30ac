"""The audit step: lines, uploads and code that no trace holds."""
