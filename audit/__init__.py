"""dicj-audit: a compliance auditor for Macau baccarat and Makccarat tables."""

__version__ = "0.1.0"
