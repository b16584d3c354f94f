"""What the report shows of the rounds that findings name, and of the tables around them."""
