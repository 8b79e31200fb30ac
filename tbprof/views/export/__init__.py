"""Reports and findings for other programs and people: JSON, markdown."""
