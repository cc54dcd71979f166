-- Finds the subscriptions of a mailbox, whose address can be written in several ways.
CREATE INDEX IF NOT EXISTS catalog_subscriptions_mailbox
  ON catalog_subscriptions (split_part(address, '@', 2), left(address, 1));
