import type { SecretReference } from '../../../api/baremetalhost/types.ts';
import { same } from '../../same.ts';
import type { HostFacts } from '../choose-host/host-facts.ts';
import { hostOrder, ownsHost } from '../guards.ts';
import { type MachineMemory, withRecord } from '../memory/memory.ts';
import { attempt, type Complaint, complain, type Pass, waitPass } from '../memory/pass.ts';
import { machineAddresses } from '../memory/snapshot.ts';
import type { HostChange } from '../memory/step.ts';
import { associate } from './associate.ts';
import { awaitData, withUserData } from './data.ts';

/** Writes the machine's desired fields to its host and shows the observed state. Undecided: nothing to do. */
export function update(memory: MachineMemory, complaint: Complaint, now: number): Pass | MachineMemory {
  const { seen } = memory;
  const order = hostOrder(memory);
  if (seen.host === undefined || order === undefined) {
    const message = `BareMetalHost not found for machine ${seen.owner?.name ?? seen.name}`;
    return waitPass(complain(memory, complaint, message), message);
  }
  const ready = awaitData(withUserData(memory), complaint);
  if ('step' in ready) return ready;
  if (!ownsHost(ready)) return takeBack(ready, seen.host, complaint, now);
  const addressed = withRecord(ready, { addresses: machineAddresses(seen.host) });
  const change = wantedChange(addressed, seen.host);
  if (typeof change === 'string') return waitPass(complain(addressed, complaint, change), change);
  if (Object.keys(change).length === 0) return addressed;
  return attempt(addressed, { name: 'fill host', order: { ...order, change } }, complaint, now);
}

/** A host that lost its consumer is claimed again. A host with another consumer is left alone. */
function takeBack(memory: MachineMemory, host: HostFacts, complaint: Complaint, now: number): Pass {
  const { consumer } = host;
  if (consumer !== undefined && consumer.kind !== 'Cluster') {
    const by = `${consumer.kind ?? ''} ${consumer.namespace ?? ''}/${consumer.name ?? ''}`;
    const message = `BareMetalHost ${host.name} is taken by ${by}`;
    return waitPass(complain(memory, complaint, message), message);
  }
  const { namespace, name, uid } = host;
  return associate(memory, now, { namespace, name, uid });
}

/** The change to the host's spec, or why there can be none. An existing image is never changed. */
function wantedChange({ seen, record }: MachineMemory, host: HostFacts): HostChange | string {
  const { spec } = seen;
  const mode = record.spec.automatedCleaningMode ?? spec.automatedCleaningMode;
  const always: HostChange = {
    ...(mode !== undefined && mode !== host.automatedCleaningMode && { automatedCleaningMode: mode }),
    ...(!host.online && { online: true }),
  };
  if (host.hasImage || host.hasCustomDeploy || record.userData === undefined) return always;
  const image = spec.image?.url ? spec.image : undefined;
  const customDeploy = spec.customDeploy?.method ? spec.customDeploy : undefined;
  if (image === undefined && customDeploy === undefined) {
    return `Metal3Machine ${seen.name} has neither Image.URL nor CustomDeploy.Method configured`;
  }
  const fields = ['userData', 'metaData', 'networkData'] as const;
  const foreign = fields.find((field) => leadsOut(record[field], seen.namespace));
  if (foreign !== undefined) {
    return `cross-namespace secret reference is not allowed for ${foreign} on host ${host.name}`;
  }
  const secrets = Object.fromEntries(
    fields.flatMap((field) => {
      const wanted = record[field] && { namespace: seen.namespace, ...record[field] };
      return wanted === undefined || same(wanted, host[field]) ? [] : [[field, wanted]];
    }),
  );
  return { ...(image && { image }), ...(customDeploy && { customDeploy }), ...secrets, ...always };
}

const leadsOut = (reference: SecretReference | undefined, namespace: string): boolean =>
  reference?.namespace !== undefined && reference.namespace !== '' && reference.namespace !== namespace;
