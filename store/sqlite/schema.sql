-- Each body once, however many origins and versions have it.
CREATE TABLE bodies (
  id   INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the body
  size INTEGER NOT NULL,     -- of the body, in bytes
  data BLOB NOT NULL         -- the body as one frame of Zstandard
);

-- The record of each origin. A table of its own and an index on the origin: in
-- a table WITHOUT ROWID, rows of a kilobyte make a tree three times as deep.
CREATE TABLE origins (
  id     INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,          -- as a URL begins, the port left out where it is the scheme's own
  asked  INTEGER NOT NULL,              -- when it was last asked, in seconds since 1970
  status INTEGER,                       -- of the last answer; NULL: there was none
  body   INTEGER REFERENCES bodies(id), -- the robots.txt that is kept; NULL: none is
  head   TEXT NOT NULL                  -- all that is known but the body: format, checksum, JSON
);
CREATE INDEX origins_body ON origins(body);

-- What each origin said over time.
CREATE TABLE versions (
  origin TEXT NOT NULL,
  number INTEGER NOT NULL,              -- counts up by one
  first  INTEGER NOT NULL,              -- when a retrieval first saw it, in nanoseconds since 1970
  last   INTEGER NOT NULL,              -- and last
  status INTEGER NOT NULL,
  body   INTEGER REFERENCES bodies(id), -- NULL: the answer was no robots.txt
  PRIMARY KEY (origin, number)
) WITHOUT ROWID;
CREATE INDEX versions_body ON versions(body);

-- To look at: what each origin says now.
CREATE VIEW robots AS
SELECT o.origin, datetime(o.asked, 'unixepoch') AS asked, o.status, b.size, b.data
FROM origins o LEFT JOIN bodies b ON b.id = o.body;

-- To look at: what each origin said when.
CREATE VIEW history AS
SELECT v.origin, v.number, datetime(v.first / 1000000000, 'unixepoch') AS first,
  datetime(v.last / 1000000000, 'unixepoch') AS last, v.status, b.size, b.data
FROM versions v LEFT JOIN bodies b ON b.id = v.body;

PRAGMA application_id = 0x48656564; -- "Heed"
PRAGMA user_version = 1;
