import { existsSync } from 'node:fs';

/** The Debian packages whose programs the cluster runs, each with one of its files. */
const PACKAGES: Readonly<Record<string, string>> = {
  'busybox-static': '/bin/busybox',
  buildah: '/usr/bin/buildah',
  containerd: '/usr/bin/containerd',
  'containernetworking-plugins': '/usr/lib/cni/ptp',
  'dnsmasq-base': '/usr/sbin/dnsmasq',
  iproute2: '/sbin/ip',
  iptables: '/usr/sbin/iptables',
  socat: '/usr/bin/socat',
};

/** Why this computer can't run kubelets, and what helps; undefined when it can. */
export function whyNoKubelets(): string | undefined {
  if (process.platform !== 'linux') return 'kubelets run on Linux only';
  if (process.getuid?.() !== 0) return 'kubelets need root: run as root';
  // With the one hierarchy of cgroup v2 it was never tried.
  if (!existsSync('/sys/fs/cgroup/memory'))
    return 'the cluster of kubelets needs the hierarchies of cgroup v1 at /sys/fs/cgroup';
  const missing = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name] ?? ''));
  return missing.length === 0 ? undefined : `missing programs (Debian: apt-get install ${missing.join(' ')})`;
}
