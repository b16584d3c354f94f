"""The data gate: can a log be read and trusted as data? What the law says of it is not asked here."""
