// Put into the package baremetal of cluster-api-provider-metal3: see README.md.
package baremetal

import (
	bmov1alpha1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	infrav1 "github.com/metal3-io/cluster-api-provider-metal3/api/v1beta2"
	ipamv1 "github.com/metal3-io/ip-address-manager/api/v1alpha1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"
)

type OraclePool struct {
	Address    ipamv1.IPAddressStr   `json:"address"`
	Prefix     *int32                `json:"prefix,omitempty"`
	Gateway    ipamv1.IPAddressStr   `json:"gateway,omitempty"`
	DNSServers []ipamv1.IPAddressStr `json:"dnsServers,omitempty"`
}
type OracleCase struct {
	Data     infrav1.Metal3Data         `json:"data"`
	Template infrav1.Metal3DataTemplate `json:"template"`
	M3M      infrav1.Metal3Machine      `json:"metal3Machine"`
	Machine  clusterv1.Machine          `json:"machine"`
	Host     bmov1alpha1.BareMetalHost  `json:"host"`
	Pools    map[string]OraclePool      `json:"pools"`
}
type OracleText struct {
	Text  *string `json:"text,omitempty"`
	Error string  `json:"error,omitempty"`
}
type OraclePools struct {
	Pools map[string]infrav1.IPPoolReference `json:"pools,omitempty"`
	Error string                             `json:"error,omitempty"`
}
type OracleAnswer struct {
	MetaData    OracleText  `json:"metaData"`
	NetworkData OracleText  `json:"networkData"`
	Pools       OraclePools `json:"pools"`
}

func text(b []byte, err error) OracleText {
	if err != nil {
		return OracleText{Error: RootCause(err).Error()}
	}
	if b == nil {
		return OracleText{}
	}
	s := string(b)
	return OracleText{Text: &s}
}

func recovered(f func() ([]byte, error)) (t OracleText) {
	defer func() {
		if r := recover(); r != nil {
			t = OracleText{Error: "panic"}
		}
	}()
	return text(f())
}

func Oracle(c *OracleCase) OracleAnswer {
	addresses := map[string]AddressFromPool{}
	for name, p := range c.Pools {
		addresses[name] = AddressFromPool{Address: p.Address, Prefix: p.Prefix, Gateway: p.Gateway, dnsServers: p.DNSServers}
	}
	a := OracleAnswer{}
	a.MetaData = recovered(func() ([]byte, error) {
		return renderMetaData(&c.Data, &c.Template, &c.M3M, &c.Machine, &c.Host, addresses)
	})
	a.NetworkData = recovered(func() ([]byte, error) {
		return renderNetworkData(&c.Template, &c.M3M, &c.Machine, &c.Host, addresses)
	})
	pools, err := getReferencedPools(c.Template, &c.M3M, &c.Machine, &c.Host)
	if err != nil {
		a.Pools.Error = RootCause(err).Error()
	} else {
		a.Pools.Pools = pools
	}
	return a
}

func OracleYAML(v any) OracleText { return text(yaml.Marshal(v)) }
