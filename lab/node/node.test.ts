import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { NetworkData } from '../../api/metal3datatemplate/schema.ts';
import { renderNetworkData } from '../../domain/data/render.ts';
import type { DiskContent } from '../disk/disk.ts';
import { patternMachine } from '../machines/pattern.ts';
import { bootNode, type NodeView } from './node.ts';

/** A machine boots a disk with the network data that Temper renders for an address of a pool. */
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-node-'));
});
afterAll(() => rm(folder, { recursive: true }));

const MACHINE = patternMachine(7);
const POOL = { address: '10.0.0.10', prefix: 24, gateway: '10.0.0.1', dnsServers: ['10.0.0.53'] };
/** A cluster that does not answer. */
const JOIN = `#cloud-config
write_files:
- path: /run/kubeadm.yaml
  content: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    discovery:
      bootstrapToken: { apiServerEndpoint: "127.0.0.1:1", token: abcdef.0123456789abcdef }
runcmd: ["kubeadm join --config /run/kubeadm.yaml"]
`;
const FROM_POOL = { name: 'pool', kind: 'IPPool', apiGroup: 'ipam.metal3.io' };

function networkDataOf(pool: typeof POOL): unknown {
  const template: NetworkData = {
    links: {
      ethernets: [{ type: 'phy', id: 'eth0', mtu: 1500, macAddress: { string: MACHINE.inventory.nics[0]?.mac } }],
    },
    networks: {
      ipv4: [
        {
          id: 'lan',
          link: 'eth0',
          fromPoolRef: FROM_POOL,
          routes: [{ network: '0.0.0.0', prefix: 0, gateway: { fromPoolRef: FROM_POOL } }],
        },
      ],
    },
    services: { dnsFromIPPool: 'pool' },
  };
  const facts = { pools: new Map([['pool', pool]]) } as unknown as Parameters<typeof renderNetworkData>[1];
  return parse(stringify(renderNetworkData(template, facts)));
}

async function booted(pool: typeof POOL): Promise<{ readonly view: NodeView | undefined; readonly log: string }> {
  const lines: string[] = [];
  const log: Logger = pino(
    new Writable({
      write: (line: Buffer, _encoding, done) => {
        lines.push(line.toString());
        done();
      },
    }),
  );
  const disk: DiskContent = {
    image: null,
    configDrive: { metaData: { name: 'node-7' }, userData: JOIN, networkData: networkDataOf(pool), files: [] },
    writes: 1,
    erasures: 0,
    volumes: [],
  };
  const settings = { logsDir: folder } as Parameters<typeof bootNode>[0]['settings'];
  const processes = { join: () => Promise.resolve(), leave: () => Promise.resolve() };
  const node = bootNode({ machine: MACHINE, rootDir: folder, settings, processes, log }, disk);
  const view = node?.view();
  await node?.halt();
  return { view, log: lines.join('') };
}

describe('a machine that boots with an address of a pool', () => {
  test('configures it, and joins', async () => {
    expect((await booted(POOL)).view).toMatchObject({
      phase: 'joining',
      network: { addresses: ['10.0.0.10/24'], gateways: ['10.0.0.1'], dnsServers: ['10.0.0.53'] },
    });
  });

  test('shows another prefix and another DNS server than the right ones', async () => {
    expect((await booted({ ...POOL, prefix: 16, dnsServers: ['10.0.0.54'] })).view?.network).toEqual({
      addresses: ['10.0.0.10/16'],
      gateways: ['10.0.0.1'],
      dnsServers: ['10.0.0.54'],
    });
  });

  test.each<[string, Partial<typeof POOL>, string]>([
    ['prefix', { prefix: 29 }, 'network lan: the gateway 10.0.0.1 is not in the subnet of 10.0.0.10/29'],
    ['gateway', { gateway: '10.0.1.1' }, 'network lan: the gateway 10.0.1.1 is not in the subnet of 10.0.0.10/24'],
    ['address', { address: '10.0.0.255' }, 'network lan: 10.0.0.255/24 is the first or the last address of its subnet'],
    ['DNS server', { dnsServers: ['2001:db8::53'] }, 'no route leads to the DNS server 2001:db8::53'],
  ])('becomes no Node with a wrong %s, and says so in its log', async (_what, wrong, error) => {
    const { view, log } = await booted({ ...POOL, ...wrong });
    expect(view).toEqual({ phase: 'failed', error });
    expect(log).toContain('the machine failed to become a Node');
    expect(log).toContain(error);
  });
});
