"""Ranges of the program that lie in each other: functions, operators, modules and labels."""
