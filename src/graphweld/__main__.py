"""`python -m graphweld` is the command `graphweld`."""

from graphweld.cli.main import main

if __name__ == "__main__":
    main()
