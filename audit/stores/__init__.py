"""Where files are: folders, patterns, addresses of stores, datasets laid out in folders by house, day and table."""
