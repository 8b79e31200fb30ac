"""All ranks of a job together: who waited for whom, why that one was late, and the step without it.

Pure functions from frozen records to frozen records: what a rank's report holds is enough, no trace is read.
"""
