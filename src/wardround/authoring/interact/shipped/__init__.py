"""The shipped tasks as they are written by hand, and the file that is made of them."""
