-- Each body once, however many origins and versions have it.
CREATE TABLE bodies (
  id   INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the body
  size INTEGER NOT NULL,     -- of the body, in bytes
  data BLOB NOT NULL         -- the body as one frame of Zstandard
);

-- The record of each origin. The table has a rowid: with rows of a kilobyte, the
-- tree of a table WITHOUT ROWID would be three times as deep.
CREATE TABLE origins (
  id     INTEGER PRIMARY KEY,
  origin TEXT NOT NULL UNIQUE,          -- such as https://www.example.com, without the default port
  asked  INTEGER NOT NULL,              -- when the last retrieval ended, in seconds since 1970
  status INTEGER,                       -- of the last answer; NULL: there was none
  body   INTEGER REFERENCES bodies(id), -- the robots.txt that is kept; NULL: none
  head   TEXT NOT NULL                  -- all of the record except the body: format, checksum, JSON
);
CREATE INDEX origins_body ON origins(body);

-- The history of each origin: its answers that differ from the one before.
CREATE TABLE versions (
  origin TEXT NOT NULL,
  number INTEGER NOT NULL,              -- counts up by one
  first  INTEGER NOT NULL,              -- when the first retrieval of this version ended, in nanoseconds since 1970
  last   INTEGER NOT NULL,              -- when the last retrieval of this version ended
  status INTEGER NOT NULL,
  body   INTEGER REFERENCES bodies(id), -- NULL: the answer had no robots.txt
  PRIMARY KEY (origin, number)
) WITHOUT ROWID;
CREATE INDEX versions_body ON versions(body);

-- For people: the last answer of each origin, with its time as text.
CREATE VIEW robots AS
SELECT o.origin, datetime(o.asked, 'unixepoch') AS asked, o.status, b.size, b.data
FROM origins o LEFT JOIN bodies b ON b.id = o.body;

-- For people: the history, with its times as text.
CREATE VIEW history AS
SELECT v.origin, v.number, datetime(v.first / 1000000000, 'unixepoch') AS first,
  datetime(v.last / 1000000000, 'unixepoch') AS last, v.status, b.size, b.data
FROM versions v LEFT JOIN bodies b ON b.id = v.body;

PRAGMA application_id = 0x48656564; -- "Heed"
PRAGMA user_version = 1;
