-- Rate limits: how many requests a client has made, and when its window ends, in milliseconds since 1970. Clients are
-- pseudonyms. The package rate-limiter-flexible reads and writes these columns.
CREATE TABLE IF NOT EXISTS catalog_limits (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
