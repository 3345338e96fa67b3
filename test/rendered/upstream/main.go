package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/metal3-io/cluster-api-provider-metal3/baremetal"
	"sigs.k8s.io/yaml"
)

// One JSON document a line on stdin, one answer a line on stdout. Argument: "cases" or "yaml".
func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return
		}
		if os.Args[1] == "yaml" {
			b, err := yaml.Marshal(json.RawMessage(line))
			t := baremetal.OracleText{}
			if err != nil {
				t.Error = err.Error()
			} else {
				s := string(b)
				t.Text = &s
			}
			_ = enc.Encode(t)
			continue
		}
		c := baremetal.OracleCase{}
		if err := json.Unmarshal(line, &c); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_ = enc.Encode(baremetal.Oracle(&c))
	}
}
