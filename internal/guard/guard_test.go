package guard

import (
	"errors"
	"net/netip"
	"testing"
)

// Addresses that public servers can have are public, and IPv6 addresses that contain one of
// these of IPv4. All others are not.
func TestPublicAddresses(t *testing.T) {
	for public, addresses := range map[bool][]string{
		true: {
			"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.3.1", "223.255.255.255",
			"2606:4700::1111", "2001:4860:4860::8888", "2001:200::1", "2400::1", "2a00:1450::1", "2c0f:fb50::1", "3ffd::1", "3fff:1000::1",
			"::ffff:8.8.8.8",                 // mapped
			"::8.8.8.8",                      // compatible
			"::ffff:0:8.8.8.8",               // SIIT
			"64:ff9b::808:808",               // NAT64
			"2002:808:808::1",                // 6to4
			"2606:4700::5efe:8.8.8.8",        // ISATAP
			"2606:4700::200:5efe:8.8.8.8",    // ISATAP, unique
			"2606:4700::5eff:10.0.0.1",       // not ISATAP
			"2001:0:808:808:0:0:f7f7:f7f7",   // Teredo
			"2002:808:808::200:5efe:8.8.8.8", // ISATAP in 6to4
			"64:ff9b::8.8.4.4", "64:ff9b::1.2.3.4",
		},
		false: {
			"127.0.0.1", "127.255.0.1", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
			"0.0.0.0", "0.1.2.3", "255.255.255.255", "224.0.0.1", "240.0.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
			"192.0.0.8", "192.0.2.1", "192.88.99.1",
			"::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "ff0e::1",
			"4000::1", "5f00::1", "6000::1", "7fff::1", "8000::1", "a000::1", "c000::1", "e000::1", "f000::1", "f800::1", // not assigned
			"100::1", "1fff:ffff::1", "200::1", "400::1", "800::1", "1000::1", "64:ff9b:1::7f00:1", "64:ff9b:1::808:808", "64:ff9b:0:1::808:808",
			"2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff::1", "2001:db8::1", "3ffe::1", "3fff::1", "3fff:fff::1",
			"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
			"::127.0.0.1", "::10.0.0.1",
			"::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "::ffff:0:169.254.169.254",
			"64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
			"2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::1",
			"2606:4700::5efe:127.0.0.1", "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:10.0.0.1", "2606:4700::200:5efe:169.254.169.254",
			"fe80::5efe:8.8.8.8", "fe80::200:5efe:10.0.0.1", "4000::5efe:8.8.8.8", "fd00::5efe:8.8.8.8",
			"2001::1", "2001:0:a00:1:0:0:f7f7:f7f7", "2001:0:808:808:0:0:f5ff:fffe", "2001:0:808:808:0:0:80ff:fffe", // Teredo of 10.0.0.1, 127.0.0.1
			"2002:808:808::5efe:10.0.0.1",
		},
	} {
		for _, address := range addresses {
			if got := isPublic(netip.MustParseAddr(address)); got != public {
				t.Errorf("isPublic(%s): %v", address, got)
			}
		}
	}
}

// Host refuses names of this machine, private addresses, and numbers that some programs
// read as an address.
func TestHost(t *testing.T) {
	for public, hosts := range map[bool][]string{
		true: {"example.com", "EXAMPLE.com.", "localhost.example", "my_host.example", "8.8.8.8", "2606:4700::1111", "bücher.example", "0xmas", "a1.b2"},
		false: {
			"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1%eth0", "127.0.0.1.", "127.0.0.1..",
			"localhost", "LOCALHOST", "localhost.", "a.localhost", "localhost.localdomain", "localhost6.localdomain6", "localhost4", "ip6-localhost", "IP6-loopback", "127.1", "2130706433", "0x7f000001", "0X7F.0.0.1", "0x", "017700000001", "127.0.0.01",
			"１２７.0.0.1", "127。0。0。1", "ｌocalhost", "", ".",
		},
	} {
		for _, host := range hosts {
			err := Host(host)
			if (err == nil) != public || err != nil && !errors.As(err, new(*PrivateError)) {
				t.Errorf("%q: %v", host, err)
			}
		}
	}
}
