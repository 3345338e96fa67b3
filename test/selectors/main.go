// Prints what labels.NewRequirement of k8s.io/apimachinery says of requirements, as cluster-api-provider-metal3 calls it.
package main

import (
	"encoding/json"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

type answer struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
	Message  string   `json:"message"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	ask := func(key, operator string, values ...string) {
		_, err := labels.NewRequirement(key, selection.Operator(strings.ToLower(operator)), values)
		message := ""
		if err != nil {
			message = err.Error()
		}
		_ = out.Encode(answer{key, operator, values, message})
	}
	long, longer := strings.Repeat("a", 64), strings.Repeat("a", 254)
	for _, key := range []string{"rack", "", "no spaces", "-", "-/x", "a/b/c", "/x", "x/", "Upper.case/x", "ex_ample/x",
		"example.com/x", "example.com/" + long, longer + "/x", "a..b/x", "x.", "é"} {
		ask(key, "=", "1")
	}
	for _, value := range []string{"", "no spaces", "-", long, "é", "-" + long, "a/b"} {
		ask("rack", "=", value)
		ask("rack", "In", "1", value)
	}
	for _, operator := range []string{"In", "NotIn", "=", "==", "!=", "Exists", "!", "Gt", "lt", "Near", ""} {
		ask("rack", operator)
		ask("rack", operator, []string{}...)
		ask("rack", operator, "1")
		ask("rack", operator, "1", "2")
		ask("rack", operator, "x")
		ask("-", operator, "no spaces", "-")
	}
	for _, value := range []string{"+5", "-5", "9223372036854775807", "9223372036854775808", "1_0", "0x10", "1.0", ""} {
		ask("rack", "Gt", value)
	}
	ask("rack", "Gt", "1", "x")
	ask("rack", "Exists", "<a>&\"b")
	ask("rack", "=", "no spaces", "no spaces")
}
