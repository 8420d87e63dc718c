"""How a graph is drawn: as DOT text, as SVG, and as a page whose boxes open and close."""
