import { defined } from '../../defined.ts';
import { sentSettings } from '../../ironic/node-settings.ts';
import type { RegisterOrder } from '../../ironic/orders.ts';
import { same } from '../../same.ts';
import { traitsOf } from '../../states/table.ts';
import { toPrepare, wantedPreparation } from '../desired/preparation.ts';
import { hardwareProfile, isKnownProfile } from '../desired/wishes.ts';
import type { HostRecord } from '../memory/host-record.ts';
import { type HostMemory, withEvent, withListed, withStatus } from '../memory/memory.ts';
import { withNode } from '../memory/with-node.ts';
import { type Chance, fail, park } from '../outcome/failure.ts';
import { errorCleared, historyEnds } from '../outcome/transition.ts';
import type { HostOutcome } from '../step.ts';

type Credentials = HostRecord['triedCredentials'];

/** Records a registration: tried and good credentials, the node's id, profile and hints; or its error. */
export function recordRegistration(
  memory: HostMemory,
  order: RegisterOrder,
  outcome: HostOutcome,
  chance: Chance,
): HostMemory {
  switch (outcome.kind) {
    case 'cancelled':
      return registrationUnsure(memory);
    case 'lost':
      if (!order.deleting || outcome.isCertain !== true) {
        const message = 'Ironic lost the node while its BMC was being verified';
        return fail(withNode({ ...memory, registration: null }, null), 'registration error', message, chance);
      }
      // Ironic does not know the node, so there is nothing to delete.
      return withNode({ ...memory, registration: registrationFor(memory, order, null) }, null);
    case 'failed': {
      const tried = triedWith(memory, order, outcome.credentialsVersion);
      const known = outcome.node === undefined ? tried : withNode(withId(tried, outcome.node.id), outcome.node);
      const unsure = registrationUnsure(known);
      if (outcome.credentials === undefined) {
        return fail(unsure, 'registration error', outcome.message, chance);
      }
      return park(unsure, 'registration error', outcome.message, chance.now, 'BMCCredentialError');
    }
    case 'done': {
      const { node, registered } = outcome;
      if (node === undefined || registered === undefined) return memory;
      const version = registered.credentialsVersion;
      let next = withNode(withId(triedWith(memory, order, version), node.id), node);
      next = { ...next, registration: registrationFor(memory, order, version, registered) };
      if (registered.created) next = withEvent(next, 'Registered', 'Registered new host');
      const profile = hardwareProfile(next);
      if (!isKnownProfile(profile)) {
        const message = `no hardware profile named "${profile}"`;
        return fail({ ...next, registration: null }, 'registration error', message, chance);
      }
      const settled = withProfile(next, profile);
      // A host that is being deleted may be registered without credentials; this says nothing about them.
      return version === ''
        ? historyEnds(settled, 'register', chance.now)
        : withGoodCredentials(settled, order, version, chance.now);
    }
  }
}

/** The next registration sends the settings again, whatever they are then. */
const registrationUnsure = (memory: HostMemory): HostMemory =>
  memory.registration === null ? memory : { ...memory, registration: { ...memory.registration, isUnsure: true } };

/** The settings of the order, not those of the current spec, so that a change made meanwhile is noticed. */
function registrationFor(
  { registration }: HostMemory,
  order: RegisterOrder,
  version: string | null,
  {
    architecture: told,
    networkVersion: used,
    refusal,
  }: { architecture?: string; networkVersion?: string; refusal?: string } = {},
): HostMemory['registration'] {
  const agentImage = order.agentImage?.image ?? registration?.agentImage;
  // Versions that were not sent this time stay as they were.
  const { preprovisioningNetworkDataName: name, networkSeen: seen = null } = order;
  const network = used === undefined ? registration?.network : { name, seen, used };
  return {
    settings: sentSettings(order),
    credentialsSeen: order.credentialsSeen,
    credentialsUsed: version,
    ...defined({ agentImage, network, refusal }),
    ...(told !== undefined && { architecture: { desired: order.architecture ?? '', observed: told } }),
  };
}

const credentialsOf = (order: RegisterOrder, version: string): Credentials => ({
  credentials: { name: order.bmc.credentialsName, namespace: order.host.namespace },
  credentialsVersion: version,
});

function triedWith(memory: HostMemory, order: RegisterOrder, version: string | undefined): HostMemory {
  if (version === undefined || version === '') return memory;
  const triedCredentials = credentialsOf(order, version);
  return same(triedCredentials, memory.status.triedCredentials) ? memory : withStatus(memory, { triedCredentials });
}

/** The preparation of a recreated node is unknown: an interrupted preparation starts again. */
function withId(memory: HostMemory, id: string): HostMemory {
  const { provisioning } = memory.status;
  if (provisioning.ID === id) return memory;
  const known = traitsOf(provisioning.state).work === 'prepare' ? toPrepare(memory) : provisioning;
  return withStatus(memory, { provisioning: { ...known, ID: id } });
}

function withGoodCredentials(memory: HostMemory, order: RegisterOrder, version: string, now: number): HostMemory {
  const goodCredentials = credentialsOf(order, version);
  const news = !same(goodCredentials, memory.status.goodCredentials);
  const verified = news
    ? withEvent(withStatus(memory, { goodCredentials }), 'BMCAccessValidated', 'Verified access to BMC')
    : memory;
  const { errorType } = verified.status;
  const ended = historyEnds(verified, 'register', now);
  // A registration that tells Ironic another setting opens no entry of operationHistory, and is none of the operations.
  const told = ended === verified ? verified : withListed(ended, 'RegistrationComplete', 'Host registered');
  if (errorType !== undefined && errorType !== 'registration error') return told;
  return errorCleared({ ...told, retry: null });
}

/** Chosen once, at the end of the first registration. */
function withProfile(memory: HostMemory, profile: string): HostMemory {
  if (memory.status.hardwareProfile === profile) return memory;
  const { rootDeviceHints } = wantedPreparation(memory);
  const provisioning = { ...memory.status.provisioning, ...(rootDeviceHints !== undefined && { rootDeviceHints }) };
  return withEvent(
    withStatus(memory, { hardwareProfile: profile, provisioning }),
    'ProfileSet',
    `Hardware profile set: ${profile}`,
  );
}
