//go:build !linux

package controlplane

import "syscall"

// dieWithParent does nothing here: only Linux can tie a program's life to its parent's.
func dieWithParent() *syscall.SysProcAttr {
	return nil
}
