import { ERROR_EVENT_REASONS } from '../../../api/baremetalhost/values.ts';
import { isObject, type Json } from '../../../kube/merge-patch.ts';
import type { Account } from './account.ts';
import type { Story } from './story.ts';

/**
 * Removes differences that do not matter: texts of the two fixture provisioners, what upstream's fixture never reports,
 * and unreliable values. Everything else is a difference.
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
    // Repeated reconciliations repeat Events.
    events: events.filter((event, at) => event !== events[at - 1]),
    left: Object.fromEntries(
      Object.entries(account.left)
        .filter(([, object]) => !isGone(account) || !isCollected(object))
        .map(([name, object]) => [name, settled(name, object)]),
    ),
  };
}

/** When a status has a node id, upstream's fixture provisioner considers the host registered. */
const isRegistered = (event: string): boolean => event.startsWith('Registered ');

/** Upstream's fixture provisioner reports no starts. */
const UNSAID = /^(InspectionStarted|ProvisioningStarted|DeprovisioningStarted|DeprovisionStarted) /;

const FAILURES = [...Object.values(ERROR_EVENT_REASONS), 'BMCCredentialError', 'InvalidAnnotationValue'].join('|');

const SAID_OTHERWISE: readonly (readonly [RegExp, string])[] = [
  // C95
  [new RegExp(`^(${FAILURES}) \\(Normal\\)`), '$1 (Warning)'],
  [/^DeprovisionComplete /, 'DeprovisioningComplete '],
  [/Custom deploy (deprovisioning|provisioning) /, 'Image $1 '],
  [/(Image provisioning completed) for [^ ]*/, '$1'],
  [/Host soft powered off/, 'Host powered off'],
];

const isGone = ({ left }: Account): boolean => !('BareMetalHost host' in left);

/** Objects owned only by a deleted host will be garbage-collected at some time. */
const isCollected = ({ metadata }: Json): boolean =>
  isObject(metadata) && metadata['ownerReferences'] !== undefined && metadata['finalizers'] === undefined;

function settled(name: string, object: Json): Json {
  const [kind] = name.split(' ');
  // Upstream's fixture provisioner does not read users' Secrets, so they get no label.
  if (/^Secret (user|network|meta)-data$/.test(name)) return {};
  if (kind === 'Secret') return object;
  return without(object, '') as Json;
}

/** The observed versions of a Secret are random; the id of a node is chosen by the provisioner. */
const UNSETTLED = new Set(['ID', 'credentialsVersion', 'lastUpdated']);

function without(value: unknown, key: string): unknown {
  if (!isObject(value)) return Array.isArray(value) ? value.map((item) => without(item, key)) : value;
  const isHardware = key === 'hardware';
  const settledOnes = Object.entries(value)
    .filter(([name]) => !UNSETTLED.has(name))
    .map(([name, inner]): [string, unknown] => [
      name,
      // Upstream writes empty fields into the spec, so its generations differ; its conditions have no messages (C94).
      key === 'conditions'
        ? String(inner).replace(/ of \d+(: .*)?$/s, '')
        : without(inner, isHardware ? 'hardware' : name),
    ]);
  // Empty or false hardware fields may be left out.
  return Object.fromEntries(settledOnes.filter(([, inner]) => !(isHardware && isEmpty(inner))));
}

const isEmpty = (value: unknown): boolean =>
  value === '' || value === false || value === 0 || (isObject(value) && Object.keys(value).length === 0);
