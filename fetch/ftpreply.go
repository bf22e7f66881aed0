package fetch

import (
	"errors"
	"fmt"
	"net/textproto"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/jlaffaye/ftp"
)

// errNoFile means that the FTP server has no robots.txt.
var errNoFile = errors.New("no such file")

// whyNoFile returns errNoFile if the error of RETR means that there is no file, else err.
// The reply must be 550, and must be to RETR itself: the commands before it, which prepare
// the data connection, can fail with 550 too. Servers also use 550 for any other trouble
// with a file, so the text of the reply decides:
//
//	550 /robots.txt: No such file or directory   no file: saysMissing
//	550 Permission denied                        a failure: saysOtherFailure
//	550 /etc/ftpusers: No such file              a failure: namesAnotherFile
//	550 Failed to open file.                     ambiguous, from vsftpd: saysNotOpened.
//	                                             No file if a listing of / does not contain it
//
// Every other text is a failure.
func whyNoFile(err error, server *ftp.ServerConn, connections *ftpDialer) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) || reply.Code != ftp.StatusFileUnavailable || connections.data == 0 {
		return err
	}
	words := strings.ToLower(strings.Join(strings.Fields(reply.Msg), " "))
	switch {
	case saysOtherFailure.MatchString(words), namesAnotherFile(words):
		return err
	case saysMissing.MatchString(words):
		return fmt.Errorf("%w: %w", errNoFile, err)
	case saysNotOpened.MatchString(words) && isUnlisted(server):
		return fmt.Errorf("%w: %w", errNoFile, err)
	}
	return err
}

var (
	// saysMissing matches what ProFTPD, Pure-FTPd, wu-ftpd, the servers of BSD, glftpd,
	// Serv-U, IIS and FileZilla Server send if the file does not exist.
	saysMissing = regexp.MustCompile(`\bno such file\b|\bcannot find the (file|path)\b|^not found\.?$|` +
		`(^|\bthat |\bthe |\brequested |: )(file|path|\S*robots\.txt\S*)( \S*robots\.txt\S*)? (was |is )?(not found|could not be found|does not exist|doesn.t exist)`)

	// saysOtherFailure matches words for other causes. If it matches, saysMissing does not
	// count.
	saysOtherFailure = regexp.MustCompile(`permission|denied|access|allowed|forbidden|in use|\bused\b|\block|i/o|input/output|` +
		`too many|busy|temporar|timed?[ -]?out|later|quota|limit|reading|stale|connection|` +
		`permit|mounted|offline|overload|internal|backend|\bdisk|volume`)

	// saysNotOpened matches what vsftpd, FileZilla Server and small servers send both if
	// the file does not exist and if they cannot open it.
	saysNotOpened = regexp.MustCompile(`^(failed to|couldn.t|could not|can.?t|cannot|unable to) open (the )?file( or directory)?\.?$|^file unavailable\.?$`)
)

// namesAnotherFile reports whether a reply names a file other than robots.txt, such as
// one that the server itself needs.
func namesAnotherFile(words string) bool {
	return slices.ContainsFunc(filename.FindAllString(words, -1), func(name string) bool {
		return !strings.Contains(name, "robots.txt") && name != "file/directory"
	})
}

var filename = regexp.MustCompile(`\S*[/.\\]\w\S*`)

// isUnlisted reports whether the server lists files in /, but no robots.txt. An empty list
// proves nothing: some servers send one for a folder that may not be read.
func isUnlisted(server *ftp.ServerConn) bool {
	names, err := server.NameList("/")
	if err != nil {
		return false
	}
	others := false
	for _, name := range names {
		switch name = path.Base(strings.ReplaceAll(name, `\`, "/")); {
		case strings.EqualFold(name, "robots.txt"):
			return false
		case name != "." && name != "..":
			others = true
		}
	}
	return others
}
