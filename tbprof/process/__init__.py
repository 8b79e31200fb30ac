"""Other processes of Python: started apart from the user's modules, asked and answered in lines of JSON."""
