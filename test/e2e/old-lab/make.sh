#!/bin/sh
# Makes lab.tar.br: the folder of a lab as the release at commit bbfb107 left it, with Temporal 1.5.1 (server 1.29.1).
#
#   test/e2e/old-lab/make.sh FOLDER
#
# FOLDER gets the sources of that release, its Temporal (built once, with Go, from the module proxy) and its lab.
set -eu
repository=$(git rev-parse --show-toplevel)
here=$repository/test/e2e/old-lab
mkdir -p "$1"
cd "$1"
folder=$PWD
mkdir -p release
git -C "$repository" archive bbfb107 | tar -x -C release
ln -sfn "$repository/node_modules" release/node_modules
if [ ! -x temporal ]; then
  (cd release/lab/binaries/go/temporal &&
    CGO_ENABLED=0 GOWORK=off go build -mod=readonly -trimpath -o "$folder/temporal" \
      -ldflags '-s -w -X github.com/temporalio/cli/temporalcli.Version=1.5.1' github.com/temporalio/cli/cmd/temporal)
fi
./temporal --version

cat >release/make-old-lab.ts <<'TS'
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLab } from './lab/lab.ts';
import { connectKube } from './platform/kube.ts';

/** Three hosts: `kept` has an image, `free` has none, and `coming` is getting one when the lab ends. */
const [, , dir = ''] = process.argv;
const HOSTS = '/apis/metal3.io/v1alpha1/namespaces/default/baremetalhosts';
const image = {
  url: 'http://192.168.222.1/cirros.img',
  checksum: 'c8fc807773e5354afe61636071771906',
  checksumType: 'md5',
};
const lab = await startLab({ dir, provisioner: 'fixture', preferredPorts: false });
const kube = connectKube(lab.endpoints.kubeconfig);

async function make(name: string, number: number, spec: object): Promise<void> {
  const login = { username: 'admin', password: 'password' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-bmc` }, stringData: login };
  await kube.request({ method: 'POST', path: '/api/v1/namespaces/default/secrets', body: secret });
  const address = `redfish+http://192.168.222.1:8000/redfish/v1/Systems/${number}`;
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name },
    spec: { online: true, bmc: { address, credentialsName: `${name}-bmc` }, bootMACAddress: `00:60:2f:00:00:0${number}`, ...spec },
  };
  await kube.request({ method: 'POST', path: HOSTS, body });
}

const stateOf = async (name: string): Promise<string> => {
  const host = (await kube.request({ path: `${HOSTS}/${name}` })) as any;
  return host.status?.provisioning?.state ?? '';
};

async function until(name: string, state: string): Promise<void> {
  while ((await stateOf(name)) !== state) await sleep(10);
}

/** etcd's database without what was overwritten. */
function compact(): void {
  const pki = join(dir, 'pki');
  const keys = ['--cacert', join(pki, 'ca.crt'), '--cert', join(pki, 'admin.crt'), '--key', join(pki, 'admin.key')];
  const call = (path: string, body: object): any =>
    JSON.parse(
      execFileSync('curl', ['-sS', ...keys, '-d', JSON.stringify(body), `${lab.endpoints.etcd}/v3/${path}`], { encoding: 'utf8' }),
    );
  const { header } = call('kv/range', { key: 'Lw==' });
  call('kv/compaction', { revision: header.revision, physical: true });
  call('maintenance/defragment', {});
}

await make('kept', 1, { image });
await make('free', 2, {});
await make('coming', 3, {});
await until('kept', 'provisioned');
await until('free', 'available');
await until('coming', 'available');
await kube.patch(`${HOSTS}/coming`, { spec: { image } });
await until('coming', 'provisioning');
for (const name of ['workers', 'bridge']) await lab.kill(name, 'SIGKILL');
for (const name of ['kept', 'free', 'coming']) process.stdout.write(`${name} ${await stateOf(name)}\n`);
await kube.close();
for (const name of ['temporal', 'kube-controller-manager', 'kube-apiserver']) await lab.kill(name, 'SIGTERM');
compact();
await lab.stop();
TS
rm -rf lab
(cd release && TEMPER_TEMPORAL="$folder/temporal" node make-old-lab.ts "$folder/lab")
tar --create --sparse --directory lab --file lab.tar etcd temporal.db
node --input-type=module - lab.tar "$here/lab.tar.br" <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
const [, , from, to] = process.argv;
writeFileSync(to, brotliCompressSync(readFileSync(from), { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }));
JS
ls -l lab.tar "$here/lab.tar.br"
