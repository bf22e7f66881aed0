-- What empty.heed was made of, and what docs/filter.md says. Text has the encoding UTF-8.
PRAGMA page_size = 4096;
PRAGMA application_id = 0x48656541; -- "HeeA"
PRAGMA user_version = 2;

-- Each body once.
CREATE TABLE bodies (
  id   INTEGER PRIMARY KEY, -- counts up by one
  size INTEGER NOT NULL,    -- of the body, in octets
  data BLOB NOT NULL        -- the body, compressed with zlib
);

-- What a URL answered.
CREATE TABLE captures (
  url       TEXT NOT NULL,    -- begins with // if the robots.txt holds for each scheme
  place     INTEGER NOT NULL, -- counts up, for a URL, in the order of time
  at        INTEGER,          -- in nanoseconds since 1970; NULL: unknown
  status    INTEGER NOT NULL, -- of HTTP or FTP; 0: there was no answer
  location  TEXT NOT NULL,    -- where it redirects to, or ''
  failed    INTEGER NOT NULL, -- 1: it is no robots.txt, or could not be read
  page      TEXT NOT NULL,    -- 'html' or 'json': it is such a page, or ''
  not_found INTEGER NOT NULL, -- 1: the page says that there is no such page
  truncated INTEGER NOT NULL, -- 1: the body is cut
  body      INTEGER NOT NULL, -- its id in bodies; 0: it is empty
  PRIMARY KEY (url, place)
) WITHOUT ROWID;

-- One row about all of it.
CREATE TABLE info (
  urls        INTEGER NOT NULL, -- distinct ones
  captures    INTEGER NOT NULL,
  with_body   INTEGER NOT NULL, -- captures whose body is not empty
  bodies      INTEGER NOT NULL,
  body_octets INTEGER NOT NULL, -- before compression
  first       INTEGER,          -- the earliest at
  last        INTEGER           -- the latest at
);
