import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import type { Busy, Traits } from './traits.ts';

/**
 * One entry for each provisioning state; `traits.ts` says what they mean. Rules ask this table instead of naming states,
 * so a new state does not compile until all of them have their answer.
 */
const STATES = {
  '': {
    work: null,
    history: null,
    busy: null,
    rest: null,
    node: { isRegistered: false, registersFirst: false, setsBootMode: false, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'deleting', isPart: false, givenUp: null },
    requests: [],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: 10,
  },
  unmanaged: {
    work: null,
    history: null,
    busy: null,
    rest: null,
    node: { isRegistered: false, registersFirst: false, setsBootMode: false, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: true, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'deleting', isPart: false, givenUp: null },
    requests: [],
    lacksBmc: true,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  registering: {
    work: 'register',
    history: 'register',
    busy: { reason: 'Registering', words: 'registering with Ironic', minutes: 2 },
    rest: null,
    node: { isRegistered: false, registersFirst: true, setsBootMode: true, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: true, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'deleting', isPart: false, givenUp: null },
    requests: ['inspect'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: 10,
  },
  // Deprecated: entered by other operators alone, and left at once.
  'match profile': {
    work: null,
    history: null,
    busy: { reason: 'Preparing', words: 'preparing the host for a deployment', minutes: 2 },
    rest: null,
    node: { isRegistered: true, registersFirst: false, setsBootMode: false, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: ['prepare'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: true,
    mayBeAnyMachine: null,
  },
  inspecting: {
    work: 'inspect',
    history: 'inspect',
    busy: { reason: 'Inspecting', words: 'inspecting the hardware', minutes: 10 },
    rest: null,
    node: { isRegistered: true, registersFirst: true, setsBootMode: true, agentImage: 'unless inspected by the BMC' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: false, isBeforeDeployment: true },
    operation: { isAbortable: true, needsSlot: true, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: ['inspect', 'prepare'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: 60,
  },
  preparing: {
    work: 'prepare',
    history: null,
    busy: { reason: 'Preparing', words: 'preparing the host for a deployment', minutes: 15 },
    rest: null,
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'required' },
    server: { runsImage: false, countsAsInUse: true, hasInstance: false, isBeforeDeployment: true },
    operation: { isAbortable: true, needsSlot: false, hasBegun: 'perhaps', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: ['prepare'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: true,
    mayBeAnyMachine: null,
  },
  available: {
    work: null,
    history: null,
    busy: null,
    rest: 'free',
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'welcome' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: false, isBeforeDeployment: true },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: ['inspect', 'prepare', 'deploy', 'examine'],
    lacksBmc: false,
    mayBecomeExternal: true,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  // Deprecated name of `available`.
  ready: {
    work: null,
    history: null,
    busy: null,
    rest: 'free',
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'welcome' },
    server: { runsImage: false, countsAsInUse: false, hasInstance: false, isBeforeDeployment: true },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: ['inspect', 'prepare', 'deploy', 'examine'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  provisioning: {
    work: 'provision',
    history: 'provision',
    busy: { reason: 'Provisioning', words: 'deploying', minutes: 20 },
    rest: null,
    node: { isRegistered: true, registersFirst: true, setsBootMode: true, agentImage: 'welcome' },
    server: { runsImage: false, countsAsInUse: true, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: true, needsSlot: true, hasBegun: 'yes', interrupts: false },
    deletion: { leadsTo: 'deprovisioning', isPart: false, givenUp: null },
    requests: ['deploy', 'undeploy'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  provisioned: {
    work: null,
    history: null,
    busy: null,
    rest: 'deployed',
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'while serviced' },
    server: { runsImage: true, countsAsInUse: true, hasInstance: true, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'deprovisioning', isPart: false, givenUp: null },
    requests: ['undeploy'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  'externally provisioned': {
    work: null,
    history: null,
    busy: null,
    rest: 'external',
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'while serviced' },
    server: { runsImage: true, countsAsInUse: true, hasInstance: true, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
    deletion: { leadsTo: 'powering off before delete', isPart: false, givenUp: null },
    requests: [],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  deprovisioning: {
    work: 'deprovision',
    history: 'deprovision',
    busy: { reason: 'Deprovisioning', words: 'removing the image', minutes: 20 },
    rest: null,
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'unless cleaning is disabled' },
    server: { runsImage: true, countsAsInUse: true, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: true, needsSlot: true, hasBegun: 'yes', interrupts: true },
    deletion: { leadsTo: null, isPart: false, givenUp: 'powering off before delete' },
    requests: ['undeploy'],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  'powering off before delete': {
    work: 'power off',
    history: null,
    busy: { reason: 'PoweringOffBeforeDelete', words: 'powering off before the deletion', minutes: 3 },
    rest: null,
    node: { isRegistered: true, registersFirst: true, setsBootMode: false, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: true, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: true },
    deletion: { leadsTo: null, isPart: true, givenUp: 'deleting' },
    requests: [],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
  deleting: {
    work: 'delete',
    history: null,
    busy: { reason: 'Deleting', words: 'deleting the node from Ironic', minutes: 10 },
    rest: null,
    node: { isRegistered: true, registersFirst: false, setsBootMode: false, agentImage: 'never' },
    server: { runsImage: false, countsAsInUse: true, hasInstance: false, isBeforeDeployment: false },
    operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: true },
    deletion: { leadsTo: null, isPart: true, givenUp: null },
    requests: [],
    lacksBmc: false,
    mayBecomeExternal: false,
    followsInspection: false,
    mayBeAnyMachine: null,
  },
} as const satisfies Readonly<Record<ProvisioningState, Traits>>;

/** Of a state that Metal3 does not have: its host is left alone, and something may run on it. */
const UNKNOWN: Traits = {
  work: null,
  history: null,
  busy: null,
  rest: null,
  node: { isRegistered: true, registersFirst: false, setsBootMode: false, agentImage: 'never' },
  server: { runsImage: false, countsAsInUse: true, hasInstance: false, isBeforeDeployment: false },
  operation: { isAbortable: false, needsSlot: false, hasBegun: 'no', interrupts: false },
  deletion: { leadsTo: null, isPart: false, givenUp: null },
  requests: [],
  lacksBmc: false,
  mayBecomeExternal: false,
  followsInspection: false,
  mayBeAnyMachine: null,
};

/** `state`: as an object shows it, which may be any text. */
export const traitsOf = (state: string): Traits =>
  Object.hasOwn(STATES, state) ? STATES[state as ProvisioningState] : UNKNOWN;

/** States in which a host is being worked on, and which end by themselves. */
export type BusyState = {
  [State in ProvisioningState]: (typeof STATES)[State]['busy'] extends null ? never : State;
}[ProvisioningState];

export const isBusyState = (state: string): state is BusyState => traitsOf(state).busy !== null;

export const busyTraits = (state: BusyState): Busy => STATES[state].busy;

/** Nothing is deployed on the host, and no operation runs. */
export const isFree = (state: string): boolean => traitsOf(state).rest === 'free';

/** Something runs on the host, and no operation runs. */
export function isInUse(state: string): boolean {
  const { rest } = traitsOf(state);
  return rest === 'deployed' || rest === 'external';
}

/** The host can be as desired. */
export const isAtRest = (state: string): boolean => traitsOf(state).rest !== null;

/** Ironic has a node of the host, and keeps it. */
export function hasNode(state: string): boolean {
  const { node, work } = traitsOf(state);
  return node.isRegistered && work !== 'delete';
}
