"""Tests of dicj-audit."""
