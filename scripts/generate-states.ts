import { PROVISIONING_STATES, type ProvisioningState } from '../api/baremetalhost/values.ts';
import type { HostMemory } from '../domain/host/memory/memory.ts';
import type { Task } from '../domain/host/memory/task.ts';
import { nextStep } from '../domain/host/next-step.ts';
import { fail, park } from '../domain/host/outcome/failure.ts';
import { isFree as isFreeState, traitsOf } from '../domain/states/table.ts';
import type { Traits, Work } from '../domain/states/traits.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW } from '../test/builders/host.ts';
import { putPage } from './generated-page.ts';

/** Generates docs/states.md from the rules: combines each state with each situation and records the next step. */

type Host = NonNullable<Parameters<typeof aHost>[0]>;

const online = { online: true };
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const LOST = 'the request for its deletion was lost: etcd was restored';
const OCCUPIED = 'something runs on its server';
const SITUATIONS: readonly {
  readonly when: string;
  readonly host: Host;
  readonly only?: Work;
  readonly after?: (host: HostMemory) => HostMemory;
}[] = [
  { when: 'nothing is desired', host: {} },
  { when: 'it has no BMC details', host: { seen: { spec: { bmc: { address: '', credentialsName: '' } } } } },
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
    when: 'it should have an image',
    host: { seen: { spec: { ...online, image: IMAGE } }, status: { lastAttemptedImage: IMAGE } },
  },
  { when: OCCUPIED, host: { node: aNode({ state: 'active', poweredOn: true }) } },
  { when: 'its image is no longer desired', host: { seen: { spec: online }, status: withImage() } },
  { when: 'its root device hints changed', host: { seen: { spec: { rootDeviceHints: { hctl: '0:0:0:0' } } } } },
  {
    when: 'it should have RAID volumes',
    host: { seen: { spec: { raid: { softwareRAIDVolumes: [{ level: '1', rootVolume: false }] } } } },
  },
  { when: 'it is marked externally provisioned', host: { seen: { spec: { externallyProvisioned: true } } } },
  { when: 'inspection is disabled', host: { seen: { spec: { inspectionMode: 'disabled' } } } },
  { when: 'a new inspection is requested', host: { seen: { annotations: { 'inspect.metal3.io': '' } } } },
  { when: 'it is in quarantine', host: { seen: { spec: online, annotations: { 'temper/quarantine': 'because' } } } },
  { when: 'what it does is aborted', host: { seen: { spec: online, annotations: { 'temper/abort': 'because' } } } },
  {
    when: 'it was aborted',
    host: { isAborted: true, seen: { spec: online, annotations: { 'temper/abort': 'because' } } },
  },
  {
    when: 'its deletion is forced',
    host: { seen: { ...DELETED, annotations: { 'temper/force-delete': 'node-1' } } },
  },
  { when: 'Ironic has no or outdated settings of it', host: { registration: null } },
  { when: 'inspection is done', host: { finished: { name: 'inspect' } } },
  {
    when: 'the image is deployed',
    host: { seen: { spec: { ...online, image: IMAGE } }, finished: { name: 'provision', image: IMAGE } },
  },
  { when: 'the image is removed', host: { finished: { name: 'deprovision' } } },
  {
    when: 'its image is desired again before it was removed',
    host: {
      seen: { spec: { ...online, image: IMAGE } },
      status: withImage(),
      finished: { name: 'deprovision', keptImage: true },
    },
  },
  { when: 'its deletion is requested', host: { seen: DELETED } },
  { when: LOST, host: {} },
  {
    when: 'its deletion is requested and the image is removed',
    host: { finished: { name: 'deprovision' }, seen: DELETED },
  },
  {
    when: 'its deletion is requested and the power is off',
    host: { finished: { name: 'power' }, seen: DELETED },
  },
  {
    when: 'its server, which was off, is on',
    only: 'delete',
    host: { node: aNode({ poweredOn: true }), isOffAssumed: true, seen: DELETED },
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
    after: (host) => park(host, 'registration error', 'no Secret', NOW),
  },
  { when: 'it should be detached', host: { seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } } } },
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

/** Continues until an action, a change of state or a wait. */
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
      return { does: 'is deleted' };
  }
}

const DOING: Readonly<Record<Task['name'], string>> = {
  register: 'registers with Ironic',
  image: 'requests a PreprovisioningImage',
  adopt: 'has Ironic adopt its node',
  examine: 'finds out what runs on its server',
  power: 'changes power',
  media: 'changes the virtual drive',
  abort: 'has Ironic abort what it does',
  discard: 'deletes its node, if Ironic answers',
  release: 'releases Secrets, HardwareData and PreprovisioningImage',
  'ask for place': 'requests a place in a budget',
  'return place': 'returns its place in a budget',
  inspect: 'inspects',
  prepare: 'prepares',
  provision: 'provisions',
  deprovision: 'deprovisions',
  delete: 'deletes its node',
  detach: 'deletes its node and leaves its server as it is',
};
function doing(task: Task): string {
  if (task.name === 'power') return `powers ${task.order.on ? 'on' : 'off'}`;
  const isForSlot = (task.name === 'ask for place' || task.name === 'return place') && task.order.lock === 'slots';
  if (isForSlot) return task.name === 'ask for place' ? 'requests a slot in Ironic' : 'returns its slot in Ironic';
  return DOING[task.name];
}

const nameOf = (state: ProvisioningState): string => (state === '' ? '(none)' : state);

function explore(state: ProvisioningState): readonly Found[] {
  const found = new Map<string, Found>();
  const { work, deletion } = traitsOf(state);
  for (const { when, host, only = work, after = (same: HostMemory) => same } of SITUATIONS) {
    if (only !== work) continue;
    const known = work === 'register' && host.registration === undefined ? { registration: registered } : {};
    const deleted = deletion.isPart && when !== LOST ? DELETED : {};
    const isFree = isFreeState(state) && when !== OCCUPIED;
    const node = isFree && host.node ? { node: { ...host.node, state: 'available' } } : {};
    const isOn = work === 'power off' ? { node: aNode({ poweredOn: true }) } : {};
    const { does, next } = follow(
      after(aHost({ ...known, ...isOn, ...host, ...node, seen: { ...deleted, ...host.seen }, state })),
    );
    const before = found.get(does);
    found.set(does, { when: [...(before?.when ?? []), when], does, ...(next !== undefined && { next }) });
  }
  // The result of most situations is the rule, the others are the exceptions.
  const [rule, ...rest] = [...found.values()].sort((a, b) => b.when.length - a.when.length);
  return rule === undefined || rule.when.length < 3 ? [...found.values()] : [...rest, { ...rule, when: ['otherwise'] }];
}

/** What the states have in common, from the table that all rules ask. */
function traitsTable(): readonly string[] {
  const columns: Readonly<Record<string, (traits: Traits) => string>> = {
    'the host is': ({ rest, busy }) => rest ?? (busy === null ? 'new' : 'worked on'),
    'for a machine that leaves it': ({ server }) => (server.countsAsInUse ? 'in use' : 'free'),
    'a deletion leads to': ({ deletion }) => (deletion.leadsTo === null ? 'the next state' : `**${deletion.leadsTo}**`),
    'entry of `operationHistory`': ({ history }) => (history === null ? '' : `\`${history}\``),
    'usual time, until measured': ({ busy }) => (busy === null ? '' : `${busy.minutes} minutes`),
  };
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const headings = ['state', ...Object.keys(columns)];
  return [
    '## All states',
    '',
    row(headings),
    row(headings.map(() => '---')),
    ...PROVISIONING_STATES.map((state) =>
      row([nameOf(state), ...Object.values(columns).map((cell) => cell(traitsOf(state)))]),
    ),
  ];
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
    'Generated from `domain/host` and `domain/states` by `npm run states`; `npm run check` fails when it is out of date. Each state was combined with',
    'each of the situations below. The tables show the next step that `nextStep` returned.',
    '',
    '```mermaid',
    'stateDiagram-v2',
    ...all.filter(({ state }) => state.includes(' ')).map(({ state }) => `  state "${state}" as ${id(state)}`),
    ...new Set(edges),
    ...all.filter(({ state }) => traitsOf(state).work === 'delete').map(({ state }) => `  ${id(state)} --> [*]`),
    '```',
    '',
    ...traitsTable(),
    '',
    ...sections,
  ].join('\n');
}

await putPage('states', render());
