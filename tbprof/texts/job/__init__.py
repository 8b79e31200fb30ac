"""What is said of a job: the verdict, why a rank is late, and who is left out."""
