-- The role by which DICJ's and external auditors look at the ledger on PostgreSQL: it reads everything and writes nothing.
--
-- Run by the ledger's owner, in the ledger's database, after the service has made its tables and again after an upgrade:
--   psql --set ON_ERROR_STOP=1 --dbname audit --file readonly_role.sql
-- Then give each person a log-in of their own, which can be taken away again:
--   CREATE ROLE maria LOGIN IN ROLE dicj_audit_read;  \password maria
-- Findings name tables and rounds, never persons; what the house wrote into free-text columns is its own responsibility.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dicj_audit_read') THEN
        CREATE ROLE dicj_audit_read NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
    END IF;
    EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO dicj_audit_read', current_database());
END
$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO dicj_audit_read;
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM dicj_audit_read;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO dicj_audit_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO dicj_audit_read;
