package controlplane

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// Process is a program that was started and writes its log to a file.
type Process struct {
	name string
	log  string
	cmd  *exec.Cmd

	done <-chan struct{} // closed when the program has ended
	kill sync.Once
}

// startProcess starts the program at path; what it writes is appended to <dir>/<name>.log.
func startProcess(dir, path string, args ...string) (*Process, error) {
	name := filepath.Base(path)
	logPath := filepath.Join(dir, name+".log")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = log, log
	done, err := Launch(cmd)
	if err != nil {
		_ = log.Close()
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	go func() {
		<-done
		_ = log.Close()
	}()
	return &Process{name: name, log: logPath, cmd: cmd, done: done}, nil
}

// Launch starts a command that dies with this program. The channel is closed when it has ended, in any way; how stands
// in its ProcessState then.
func Launch(cmd *exec.Cmd) (ended <-chan struct{}, err error) {
	cmd.SysProcAttr = dieWithParent()
	done, started := make(chan struct{}), make(chan error, 1)
	go func() {
		// The kernel ties the command's life to the thread that started it, so this thread stays until the end.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // what it says stands in cmd.ProcessState too
		}
	}()
	return done, <-started
}

// Pid is the number of the operating system's process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited returns an error when the program ended by itself, nil while it runs.
func (p *Process) Exited() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s ended by itself: %s, see %s", p.name, p.cmd.ProcessState, p.log)
	default:
		return nil
	}
}

// Kill ends the program at once and waits until it is gone.
func (p *Process) Kill() {
	p.kill.Do(func() {
		// The only error is that the program has ended already.
		_ = p.cmd.Process.Kill()
		<-p.done
	})
}
