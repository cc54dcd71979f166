-- What happened to each announcement, in order. Events contain no address.
CREATE TABLE IF NOT EXISTS catalog_announcements (
  key text NOT NULL,
  number integer NOT NULL,
  event text NOT NULL,
  PRIMARY KEY (key, number)
);

-- Which process may send an announcement, and until when unless it says that it is still running.
CREATE TABLE IF NOT EXISTS catalog_announcement_claims (
  key text PRIMARY KEY,
  token text NOT NULL,
  expires timestamptz NOT NULL
);
