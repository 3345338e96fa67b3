// Serves the conversion webhook of cluster-api-provider-metal3 alone, without TLS and without a
// cluster, for scripts/record-conversions.ts. How to build it: README.md.
package main

import (
	"log"
	"net/http"
	"os"

	older "github.com/metal3-io/cluster-api-provider-metal3/api/v1beta1"
	stored "github.com/metal3-io/cluster-api-provider-metal3/api/v1beta2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{older.AddToScheme, stored.AddToScheme} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	http.Handle("/convert", conversion.NewWebhookHandler(scheme, conversion.NewRegistry()))
	log.Fatal(http.ListenAndServe(os.Args[1], nil))
}
