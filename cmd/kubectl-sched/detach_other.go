//go:build !unix

package main

func detach() (end func()) { return func() {} }
