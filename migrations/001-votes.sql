-- Votes are only ever added. `position` is the order in which they were stored.
CREATE TABLE IF NOT EXISTS catalog_votes (
  id text PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  time timestamptz NOT NULL,
  slug text NOT NULL,
  vote text NOT NULL CHECK (vote IN ('yes', 'no')),
  note text,
  voter text NOT NULL
);

CREATE INDEX IF NOT EXISTS catalog_votes_time ON catalog_votes (time);

-- The secret of the pseudonyms of a UTC day, which all servers share. The first vote of the next day deletes it.
CREATE TABLE IF NOT EXISTS catalog_voter_secrets (
  day date PRIMARY KEY,
  secret bytea NOT NULL
);

-- The totals of UTC days that are over, so that nobody has to count their votes again.
CREATE TABLE IF NOT EXISTS catalog_vote_days (
  day date NOT NULL,
  slug text NOT NULL,
  yes bigint NOT NULL,
  no bigint NOT NULL,
  PRIMARY KEY (day, slug)
);
