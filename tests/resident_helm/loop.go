// Added to Helm's own package main, this makes a Helm that stays: it reads requests from stdin, a line of JSON each, runs them
// one after the other as the commands of new processes, and answers each with a line that has the exit code and what was printed.
// Helm needs half of its time to start, which the tests would otherwise pay thousands of times.
package main

import (
	"encoding/json"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

type request struct {
	Folder string   `json:"folder"`
	Args   []string `json:"args"`
}

type answer struct {
	Code int    `json:"code"`
	Out  string `json:"out"`
	Err  string `json:"err"`
}

func init() {
	if os.Getenv("CHARTGEN_RESIDENT_HELM") != "" {
		serve()
		os.Exit(0)
	}
}

func serve() {
	stdout, err := unix.Dup(1)
	must(err)
	requests, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.NewFile(uintptr(stdout), "answers"))
	out, errors := capture(1), capture(2)
	for {
		var asked request
		if err := requests.Decode(&asked); err == io.EOF {
			return
		} else {
			must(err)
		}
		must(os.Chdir(asked.Folder))
		code := run(asked.Args)
		must(answers.Encode(answer{code, out(), errors()}))
	}
}

// capture makes a stream write to memory; the function that it returns reads and forgets what was written.
func capture(stream int) func() string {
	memory, err := unix.MemfdCreate("stream", 0)
	must(err)
	must(unix.Dup3(memory, stream, 0))
	file := os.NewFile(uintptr(memory), "stream")
	return func() string {
		_, err := file.Seek(0, io.SeekStart)
		must(err)
		written, err := io.ReadAll(file)
		must(err)
		must(file.Truncate(0))
		_, err = file.Seek(0, io.SeekStart)
		must(err)
		return string(written)
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
