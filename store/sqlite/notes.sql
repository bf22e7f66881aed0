-- What a program must remember about an origin. Nothing is evicted from this table. It has a
-- rowid: with rows of a kilobyte, the tree of a table WITHOUT ROWID would be three times as deep.
CREATE TABLE IF NOT EXISTS notes (
  id     INTEGER PRIMARY KEY,
  name   TEXT NOT NULL,    -- what the note is for
  origin TEXT NOT NULL,    -- as in the table origins; the two may have different origins
  sum    BLOB NOT NULL,    -- SHA-256 of name, " ", origin, a line end, and the note
  size   INTEGER NOT NULL, -- of the note, in bytes
  data   BLOB NOT NULL,    -- the note as one frame of Zstandard
  UNIQUE (name, origin)
);
