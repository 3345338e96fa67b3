import { isObject, type Json } from '../../kube/merge-patch.ts';
import type { Account } from './account.ts';
import type { Story } from './story.ts';

/**
 * What is equal although it does not look so: what the two fixture provisioners say in other words, what upstream's never
 * says, and what nobody can rely on. Everything else that differs is a difference.
 */
export function comparable(account: Account, { steps }: Story): Account {
  const isRestored = steps.some((step) => 'create' in step && step.annotations?.['baremetalhost.metal3.io/status']);
  const events = account.events
    .filter(
      (event, at) =>
        !UNSAID.test(event) && !(isRegistered(event) && (isRestored || account.events.indexOf(event) < at)),
    )
    .map((event) => SAID_OTHERWISE.reduce((said, [from, to]) => said.replace(from, to), event));
  return {
    ...account,
    // Who looks twice says the same twice.
    events: events.filter((event, at) => event !== events[at - 1]),
    left: Object.fromEntries(
      Object.entries(account.left)
        .filter(([, object]) => !isGone(account) || !isCollected(object))
        .map(([name, object]) => [name, settled(name, object)]),
    ),
  };
}

/** Where a status names a machine, upstream's fixture provisioner takes that for registered. */
const isRegistered = (event: string): boolean => event.startsWith('Registered ');

/** Upstream's fixture provisioner has no beginnings. */
const UNSAID = /^(InspectionStarted|ProvisioningStarted|DeprovisioningStarted|DeprovisionStarted) /;

const SAID_OTHERWISE: readonly (readonly [RegExp, string])[] = [
  [/^DeprovisionComplete /, 'DeprovisioningComplete '],
  [/Custom deploy (deprovisioning|provisioning) /, 'Image $1 '],
  [/(Image provisioning completed) for [^ ]*/, '$1'],
  [/Host soft powered off/, 'Host powered off'],
];

const isGone = ({ left }: Account): boolean => !('BareMetalHost host' in left);

/** What belongs to a host that is gone, and is held by nobody else, will be collected, sooner or later. */
const isCollected = ({ metadata }: Json): boolean =>
  isObject(metadata) && metadata['ownerReferences'] !== undefined && metadata['finalizers'] === undefined;

function settled(name: string, object: Json): Json {
  const [kind] = name.split(' ');
  // The Secrets of a user are not read by upstream's fixture provisioner, and so get no label.
  if (/^Secret (user|network|meta)-data$/.test(name)) return {};
  if (kind === 'Secret') return object;
  return without(object, '') as Json;
}

/** Which versions of a Secret somebody saw is chance; the id of a machine is its provisioner's. */
const UNSETTLED = new Set(['ID', 'credentialsVersion', 'lastUpdated']);

function without(value: unknown, key: string): unknown {
  if (!isObject(value)) return Array.isArray(value) ? value.map((item) => without(item, key)) : value;
  const isHardware = key === 'hardware';
  const settledOnes = Object.entries(value)
    .filter(([name]) => !UNSETTLED.has(name))
    .map(([name, inner]): [string, unknown] => [
      name,
      // Upstream writes empty fields into the spec, so its generations are others.
      key === 'conditions' ? String(inner).replace(/ of \d+$/, '') : without(inner, isHardware ? 'hardware' : name),
    ]);
  // Of hardware, what is empty or not so can be left out.
  return Object.fromEntries(settledOnes.filter(([, inner]) => !(isHardware && isEmpty(inner))));
}

const isEmpty = (value: unknown): boolean =>
  value === '' || value === false || value === 0 || (isObject(value) && Object.keys(value).length === 0);
