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

// errNoFile: the server answered that there is no such file.
var errNoFile = errors.New("no such file")

// whyNoFile returns why RETR brought no file, given its error. Only a reply 550 to
// RETR itself can say that there is none: not one to the commands before it, which
// prepare the data connection. Since 550 is the reply for everything else that is
// wrong with a file too, its words decide.
func whyNoFile(err error, server *ftp.ServerConn, connections *ftpDialer) error {
	var reply *textproto.Error
	if !errors.As(err, &reply) || reply.Code != ftp.StatusFileUnavailable || connections.data == 0 {
		return err
	}
	words := strings.ToLower(strings.Join(strings.Fields(reply.Msg), " "))
	switch {
	case saysOtherwise.MatchString(words), namesAnother(words):
		return err
	case saysMissing.MatchString(words):
		return fmt.Errorf("%w: %w", errNoFile, err)
	case saysNotOpened.MatchString(words) && isUnlisted(server):
		return fmt.Errorf("%w: %w", errNoFile, err)
	}
	return err
}

var (
	// saysMissing are the words of ProFTPD, Pure-FTPd, wu-ftpd, the servers of BSD,
	// glftpd, Serv-U, IIS and FileZilla Server for a file that is not there.
	saysMissing = regexp.MustCompile(`\bno such file\b|\bcannot find the (file|path)\b|^not found\.?$|` +
		`(^|\bthat |\bthe |\brequested |: )(file|path|\S*robots\.txt\S*)( \S*robots\.txt\S*)? (was |is )?(not found|could not be found|does not exist|doesn.t exist)`)

	// saysOtherwise are words for what else may be wrong, beside which the others
	// mean nothing.
	saysOtherwise = regexp.MustCompile(`permission|denied|access|allowed|forbidden|in use|\bused\b|\block|i/o|input/output|` +
		`too many|busy|temporar|timed?[ -]?out|later|quota|limit|reading|stale|connection|` +
		`permit|mounted|offline|overload|internal|backend|\bdisk|volume`)

	// saysNotOpened are the words of vsftpd, FileZilla Server and small servers for
	// a file that is not there and for one that they cannot open alike.
	saysNotOpened = regexp.MustCompile(`^(failed to|couldn.t|could not|can.?t|cannot|unable to) open (the )?file( or directory)?\.?$|^file unavailable\.?$`)
)

// namesAnother reports whether a reply speaks of a file that is not robots.txt, such as
// one that the server itself needs.
func namesAnother(words string) bool {
	return slices.ContainsFunc(filename.FindAllString(words, -1), func(name string) bool {
		return !strings.Contains(name, "robots.txt") && name != "file/directory"
	})
}

var filename = regexp.MustCompile(`\S*[/.\\]\w\S*`)

// isUnlisted reports whether the server lists files and robots.txt is not among
// them. A list without anything tells nothing: that is what there is of a folder
// that cannot be read, too.
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
