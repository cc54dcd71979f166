-- Subscriptions with the record of consent. `address` is the email address in lower case. `position` is the order in which
-- they were stored.
CREATE TABLE IF NOT EXISTS catalog_subscriptions (
  id text PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  time timestamptz NOT NULL,
  email text NOT NULL,
  address text NOT NULL,
  list text NOT NULL,
  note text,
  form text,
  pending boolean NOT NULL,
  confirmed timestamptz,
  unsubscribed timestamptz
);

CREATE INDEX IF NOT EXISTS catalog_subscriptions_address ON catalog_subscriptions (address);
CREATE INDEX IF NOT EXISTS catalog_subscriptions_list ON catalog_subscriptions (list, position);

-- Pseudonyms of erased addresses, to which no mail is sent, even if a backup is restored.
CREATE TABLE IF NOT EXISTS catalog_suppressions (
  hash text PRIMARY KEY,
  time timestamptz NOT NULL
);
