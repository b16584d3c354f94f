"""What every other package stands on: words of the game and of the law, money, days, columns, errors, strict YAML."""
