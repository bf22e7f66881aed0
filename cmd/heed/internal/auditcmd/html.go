package auditcmd

import "github.com/heed-robots/heed/internal/audit"

func (o *command) showHTML(r *audit.Report) {}
