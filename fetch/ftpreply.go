package fetch

import (
	"errors"
	"fmt"
	"net/textproto"
	"path"
	"slices"
	"strings"

	"github.com/jlaffaye/ftp"
)

var errNoFile = errors.New("the FTP server does not have this file, so there is nothing to fetch")

// A reply 550 may mean that the file is missing. It may also mean something else, such as missing rights. So the text
// of the reply decides. whyNoFile returns errNoFile only for texts that usual servers send for a missing file.
func whyNoFile(err error, server *ftp.ServerConn, connections *ftpDialer) error {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok || reply.Code != ftp.StatusFileUnavailable || connections.data == 0 {
		return err
	}
	words := strings.ToLower(strings.Join(strings.Fields(reply.Msg), " "))
	switch {
	case saysOtherFailure().MatchString(words), namesAnotherFile(words):
		return err
	case saysMissing().MatchString(words), saysNotOpened().MatchString(words) && isUnlisted(server):
		return fmt.Errorf("%w: %w", errNoFile, err)
	}
	return err
}

var (
	// saysMissing matches what usual FTP servers send if the file does not exist.
	saysMissing = lazyRegexp(`\bno such file\b|\bcannot find the (file|path)\b|^not found\.?$|` +
		`(^|\bthat |\bthe |\brequested |: )(file|path|\S*robots\.txt\S*)( \S*robots\.txt\S*)? (was |is )?(not found|could not be found|does not exist|doesn.t exist)`)

	// saysOtherFailure matches words for other causes. It is tried before saysMissing.
	saysOtherFailure = lazyRegexp(`permission|denied|access|allowed|forbidden|in use|\bused\b|\block|i/o|input/output|` +
		`too many|busy|temporar|timed?[ -]?out|later|quota|limit|reading|stale|connection|` +
		`permit|mounted|offline|overload|internal|backend|\bdisk|volume`)

	// saysNotOpened matches what vsftpd, FileZilla Server and small servers send if the file does not exist, or cannot be
	// opened.
	saysNotOpened = lazyRegexp(`^(failed to|couldn.t|could not|can.?t|cannot|unable to) open (the )?file( or directory)?\.?$|^file unavailable\.?$`)
)

func namesAnotherFile(words string) bool {
	return slices.ContainsFunc(filename().FindAllString(words, -1), func(name string) bool {
		return !strings.Contains(name, "robots.txt") && name != "file/directory"
	})
}

var filename = lazyRegexp(`\S*[/.\\]\w\S*`)

// isUnlisted reports whether "/" has other files, but no robots.txt. An empty list proves nothing.
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
