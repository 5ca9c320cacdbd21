package controlplane

import "syscall"

// dieWithParent makes the kernel kill the program when the test ends in any way, a panic included.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
