import { PROVISIONING_STATES, type ProvisioningState } from '../api/baremetalhost/values.ts';
import type { HostMemory } from '../domain/host/memory/memory.ts';
import { nextStep } from '../domain/host/next-step.ts';
import { fail, park } from '../domain/host/outcome/failure.ts';
import type { Task } from '../domain/host/step.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW } from '../test/builders/host.ts';
import { putPage } from './generated-page.ts';

/** docs/states.md from the rules themselves: each state is put into each situation, and what it does is written down. */

type Host = NonNullable<Parameters<typeof aHost>[0]>;

const online = { online: true };
const SITUATIONS: readonly {
  readonly when: string;
  readonly host: Host;
  readonly after?: (host: HostMemory) => HostMemory;
}[] = [
  { when: 'nothing is asked for', host: {} },
  { when: 'no BMC details are given', host: { seen: { spec: { bmc: { address: '', credentialsName: '' } } } } },
  { when: 'it should be on', host: { seen: { spec: online } } },
  { when: 'it should be off', host: { node: aNode({ state: 'active', poweredOn: true }) } },
  {
    when: 'a reboot is forced',
    host: {
      node: aNode({ state: 'active', poweredOn: true }),
      status: withImage(),
      seen: { spec: { ...online, image: IMAGE }, annotations: { 'reboot.metal3.io': '{"force":true}' } },
    },
  },
  {
    when: 'an image is asked for',
    host: { seen: { spec: { ...online, image: IMAGE } }, status: { lastAttemptedImage: IMAGE } },
  },
  { when: 'the image on it is no longer asked for', host: { seen: { spec: online }, status: withImage() } },
  { when: 'its root device hints changed', host: { seen: { spec: { rootDeviceHints: { hctl: '0:0:0:0' } } } } },
  {
    when: 'RAID volumes are asked for',
    host: { seen: { spec: { raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: false }] } } } },
  },
  { when: 'it is marked externally provisioned', host: { seen: { spec: { externallyProvisioned: true } } } },
  { when: 'inspection is disabled', host: { seen: { spec: { inspectionMode: 'disabled' } } } },
  { when: 'a new inspection is asked for', host: { seen: { annotations: { 'inspect.metal3.io': '' } } } },
  { when: 'Ironic does not know it as it is', host: { registration: null } },
  { when: 'inspection is done', host: { finished: { name: 'inspect' } } },
  {
    when: 'the image is deployed',
    host: { seen: { spec: { ...online, image: IMAGE } }, finished: { name: 'provision', image: IMAGE } },
  },
  { when: 'the image is taken off', host: { finished: { name: 'deprovision' } } },
  { when: 'deletion is asked for', host: { seen: { deletionTimestamp: '2026-01-01T00:00:00Z' } } },
  {
    when: 'deletion is asked for and the image is taken off',
    host: { finished: { name: 'deprovision' }, seen: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  },
  {
    when: 'deletion is asked for and the power is off',
    host: { finished: { name: 'power' }, seen: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  },
  {
    when: 'the last attempt failed a while ago',
    host: { seen: { spec: { ...online, image: IMAGE } }, status: { lastAttemptedImage: IMAGE } },
    after: (host) => ({ ...fail(host, 'provisioning error', 'because', CHANCE), retry: null }),
  },
  {
    when: 'the last attempt has just failed',
    host: {},
    after: (host) => fail(host, 'provisioning error', 'because', CHANCE),
  },
  {
    when: 'its Secret is missing',
    host: {},
    after: (host) => park(host, 'registration error', 'no Secret'),
  },
  { when: 'it is to be detached', host: { seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } } } },
  {
    when: 'it is detached',
    host: {
      status: { operationalStatus: 'detached' },
      seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } },
    },
  },
  { when: 'it is paused', host: { seen: { annotations: { 'baremetalhost.metal3.io/paused': '' } } } },
];

function withImage(): NonNullable<Host['status']> {
  return { lastAttemptedImage: IMAGE, provisioning: { state: 'provisioned', ID: aNode().id, image: IMAGE } };
}

interface Found {
  readonly when: readonly string[];
  readonly does: string;
  readonly next?: ProvisioningState;
}

const registered = aHost({ state: 'available' }).registration;

/** Steps on until something is done, become or waited for. */
function follow(memory: HostMemory): { readonly does: string; readonly next?: ProvisioningState } {
  const step = nextStep(memory, NOW);
  switch (step.kind) {
    case 'note':
      return follow(step.memory);
    case 'show':
      return follow({ ...memory, shownPower: memory.status.poweredOn });
    case 'become':
      return { does: `becomes **${nameOf(step.state)}**`, next: step.state };
    case 'act':
      return { does: doing(step.action) };
    case 'run':
      return { does: `runs \`${step.operation.name}\` as a child workflow` };
    case 'wait':
      return { does: `waits: ${step.reason}${step.until === undefined ? '' : ' (one timer)'}` };
    case 'gone':
      return { does: 'is gone' };
  }
}

const DOING: Readonly<Record<Task['name'], string>> = {
  hold: 'puts its finalizer on the BareMetalHost',
  register: 'registers with Ironic',
  image: 'asks for a PreprovisioningImage',
  adopt: 'has Ironic adopt what runs on it',
  power: 'changes power',
  media: 'changes the virtual drive',
  release: 'releases Secrets, HardwareData and PreprovisioningImage',
  'ask for slot': 'asks for a slot in Ironic',
  'return slot': 'gives its slot in Ironic back',
  inspect: 'inspects',
  prepare: 'prepares',
  provision: 'provisions',
  deprovision: 'deprovisions',
  delete: 'deletes its node',
  detach: 'takes its node out of Ironic',
};
const doing = (task: Task): string =>
  task.name === 'power' ? `powers ${task.order.on ? 'on' : 'off'}` : DOING[task.name];

const nameOf = (state: ProvisioningState): string => (state === '' ? '(none)' : state);

function explore(state: ProvisioningState): readonly Found[] {
  const found = new Map<string, Found>();
  for (const { when, host, after = (same: HostMemory) => same } of SITUATIONS) {
    const known = state === 'registering' && host.registration === undefined ? { registration: registered } : {};
    const { does, next } = follow(after(aHost({ ...known, ...host, state })));
    const before = found.get(does);
    found.set(does, { when: [...(before?.when ?? []), when], does, ...(next !== undefined && { next }) });
  }
  // What most situations lead to is the rule, the rest are the exceptions.
  const [rule, ...rest] = [...found.values()].sort((a, b) => b.when.length - a.when.length);
  return rule === undefined || rule.when.length < 3 ? [...found.values()] : [...rest, { ...rule, when: ['otherwise'] }];
}

function render(): string {
  const all = PROVISIONING_STATES.map((state) => ({ state, found: explore(state) }));
  const id = (state: ProvisioningState): string => (state === '' ? 'none' : state.replaceAll(' ', '_'));
  const edges = all.flatMap(({ state, found }) =>
    found.flatMap(({ next, when }) => (next === undefined ? [] : [`  ${id(state)} --> ${id(next)}: ${when[0] ?? ''}`])),
  );
  const sections = all.map(({ state, found }) =>
    [
      `## ${nameOf(state)}`,
      '',
      '| when | the host |',
      '|---|---|',
      ...found.map(({ when, does }) => `| ${when.join('; ')} | ${does} |`),
      '',
    ].join('\n'),
  );
  return [
    '# States of a host',
    '',
    'Generated from `domain/host` by `npm run states`; `npm run check` fails when it is out of date. Each state was put into each of',
    'the situations below, all else being well, and what `nextStep` answered is written here.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    ...all.filter(({ state }) => state.includes(' ')).map(({ state }) => `  state "${state}" as ${id(state)}`),
    ...new Set(edges),
    '  deleting --> [*]',
    '```',
    '',
    ...sections,
  ].join('\n');
}

await putPage('states', render());
