"""What `tbprof demo` trains: the same classifier before and after its fixes."""
