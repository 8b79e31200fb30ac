"""What ranks say to one another: which device rows communicate, what each sends, what it leaves exposed."""
