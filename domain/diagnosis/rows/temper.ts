import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { ageOf } from '../../clock.ts';
import { SPEC_IGNORED, STEP_HELD } from '../../entity/conditions.ts';
import { STALE_WORDS } from '../../entity/stale.ts';
import { FAIL_ANNOTATION } from '../../fixture/failing.ts';
import { budgetsSaid, windowsOf } from '../../host/approval/policy.ts';
import { GIVEN_UP } from '../../host/outcome/given-up.ts';
import type { WaitReason } from '../../host/waits.ts';
import { LEFT_ALONE_WORDS } from '../../other-operators/beside.ts';
import { isCode } from '../../steering/code.ts';
import { STUCK } from '../../usual-times/stuck.ts';
import { conditionTrue, type Diagnosis, type Finding, holding, shows, words } from '../diagnosis.ts';
import { durationWords, usualWords } from '../duration-words.ts';
import { withHolders } from '../holders.ts';
import { logsOf, PODS, podsOf } from '../pods.ts';
import { GOES_ON, OTHER_IMAGE } from '../risks.ts';
import { nameOf, type SeenHost, type Sight } from '../sight.ts';

/** The bridge writes within seconds; a busy one may need longer. */
const SEEN_WITHIN_MS = 120_000;

/** The condition has the code that an approval has to name. */
const heldForApproval = (host: SeenHost | undefined): Finding | undefined => {
  const found = heldFor(host, 'ApprovalNeeded', 'Rejected');
  const code = found?.evidence[0].words.split(/[\s,;]+/).find(isCode);
  return found && { ...found, names: { ...(code !== undefined && { code }) } };
};

/** Annotations with which nothing is begun on a host: a new host shows nothing while it has one. */
const HOLD_FROM_THE_START = [ANNOTATIONS.paused, STEERING_ANNOTATIONS.quarantine];

function heldFor(host: SeenHost | undefined, ...wanted: readonly WaitReason[]): Finding | undefined {
  const held = host?.conditions.find(({ type }) => type === STEP_HELD);
  return wanted.some((reason) => reason === held?.reason) ? conditionTrue(host, STEP_HELD) : undefined;
}

const OTHER_WINDOW = [
  "kubectl -n {namespace} annotate --overwrite {object} temper/approval-window='0 22 * * 6 4h Europe/Berlin'",
  'kubectl -n {namespace} annotate {object} temper/approval-window-',
];
const EDIT_HOLDER = 'kubectl -n {namespace} edit {object}';

/** The bridge has not looked at the object since it was created. */
function unseen({ now, host }: Sight): Finding | undefined {
  if (host === undefined || host.state !== '' || host.conditions.length > 0) return undefined;
  if (HOLD_FROM_THE_START.some((key) => host.annotations[key] !== undefined)) return undefined;
  const age = ageOf(Date.parse(host.creationTimestamp), now);
  return age > SEEN_WITHIN_MS ? shows(host, 'status', `empty, ${durationWords(age)} after its creation`) : undefined;
}

/**
 * The bridge reports a host that has taken far longer than usual. A host that has taken somewhat longer is found here.
 */
function longerThanUsual({ now, host }: Sight): Finding | undefined {
  const stuck = conditionTrue(host, STUCK);
  if (stuck !== undefined) return stuck;
  if (host?.since === undefined || host.usual === undefined) return undefined;
  if (now - host.since <= host.usual.usualMs) return undefined;
  const taken = `${host.state} for ${durationWords(now - host.since)}, ${usualWords(host.usual)}`;
  return { evidence: [{ object: nameOf(host), field: 'status.provisioning.state', words: taken }] };
}

/** Temper's own parts. */
export const TEMPER: readonly Diagnosis[] = [
  {
    id: 'bridge-gone',
    of: 'host',
    whileDeleting: true,
    see: unseen,
    cause: 'The bridge has not looked at the host: it does not run, does not watch this namespace, or cannot write.',
    risk: GOES_ON,
    next: 'Start the bridge, or read its log. Its setting WATCH_NAMESPACE and its rights decide which namespaces it sees.',
    commands: [podsOf('bridge'), logsOf('bridge')],
  },
  {
    id: 'workflow-failing',
    of: 'host',
    whileDeleting: true,
    see: ({ host }) => conditionTrue(host, 'WorkflowFailing'),
    cause: 'The workflow of the host cannot go on: an error in Temper makes its task fail each time.',
    risk: GOES_ON,
    next: 'Install a version of Temper without the error. Nothing else is needed: the task is repeated until it succeeds.',
    commands: ['temporal workflow describe -w baremetalhost/{namespace}/{host}'],
  },
  {
    id: 'write-refused',
    of: 'host',
    whileDeleting: true,
    see: ({ host }) => conditionTrue(host, 'WriteRefused'),
    cause: 'The API server refuses a write: a policy, a quota, a webhook, or the schema of the kind.',
    risk: GOES_ON,
    next: 'Allow the write that the message names; it is repeated when the object changes.',
    commands: ['kubectl -n {namespace} describe bmh {host}'],
  },
  words({
    id: 'mark-refused',
    whileDeleting: true,
    says: /nothing is sent to Ironic, because the annotation temper\/request can't be written/,
    cause:
      'A policy or a webhook forbids the annotation temper/request on the host. Without it nothing that disturbs a server is sent to Ironic.',
    risk: GOES_ON,
    next: 'Allow the workers to write this annotation on BareMetalHosts; the request is repeated by itself.',
    commands: ['kubectl get validatingadmissionpolicies,validatingwebhookconfigurations'],
  }),
  words({
    id: 'other-operator',
    whileDeleting: true,
    says: LEFT_ALONE_WORDS,
    cause: 'Another operator of Metal3 cares for the host: it holds a Lease, or has just written a status.',
    risk: GOES_ON,
    next: 'Stop one of the two. Temper goes on by itself when the Lease is released, and five minutes after the last write.',
    commands: ['kubectl get leases -A'],
  }),
  words({
    id: 'not-asked-for',
    whileDeleting: true,
    says: STALE_WORDS,
    cause:
      'The object does not ask for the step that its run takes, so nothing is sent to Ironic: it was changed, or nobody has approved the step as it is now. The run has begun anew from the object in vain.',
    risk: GOES_ON,
    next: 'Compare the message with spec, status and annotations of the host; a change of the object ends the pause between the tries.',
    commands: [
      'kubectl -n {namespace} get bmh {host} -o yaml',
      'temporal workflow describe -w baremetalhost/{namespace}/{host}',
    ],
  }),
  holding({
    id: 'step-held',
    see: ({ host }) => heldForApproval(host),
    cause: 'The host waits for an approval before it erases, powers off or changes firmware.',
    next: 'Approve or reject the step whose code the message has, with your own name for USER, as kubectl auth whoami prints it. The commands of temper need components/approvals-by-message.',
    commands: [
      `kubectl -n {namespace} annotate --overwrite bmh {host} ${APPROVAL_ANNOTATIONS.given}='{code} USER WHY'`,
      `kubectl -n {namespace} annotate --overwrite bmh {host} ${APPROVAL_ANNOTATIONS.rejected}='{code} USER WHY'`,
      'npx temper approve host {host} -n {namespace} --code {code} --reason WHY',
      'npx temper reject host {host} -n {namespace} --code {code} --reason WHY',
    ],
  }),
  holding({
    id: 'window-closed',
    see: ({ host }) => withHolders(heldFor(host, 'WindowClosed'), host, windowsOf),
    cause: 'The host waits for its window before it erases, powers off or changes firmware.',
    next: 'Nothing: the host goes on when the window opens, at the time in the message. An approval does not open it. If that is too late, change or remove the annotation temper/approval-window of the objects that the message names.',
    commands: OTHER_WINDOW,
  }),
  holding({
    id: 'window-never-open',
    see: ({ host }) => withHolders(heldFor(host, 'WindowNeverOpen'), host, windowsOf),
    cause:
      'A window in which the host may erase, power off or change firmware is never open, or cannot be read: the host waits until a person changes it.',
    next: 'Change or remove the annotation temper/approval-window of the objects that the message names. An approval does not open a window.',
    commands: OTHER_WINDOW,
  }),
  holding({
    id: 'budget-exhausted',
    see: ({ host }) => withHolders(heldFor(host, 'BudgetExhausted'), host, budgetsSaid),
    cause:
      'A budget is used up: as many hosts as it allows are being erased, powered off or changed now. The host waits for its turn.',
    next: 'Nothing: the host goes on when one of the hosts in the message ends its step. If one of these does not go on, explain that host first, or allow more hosts with temper/approval-budget of the object that has the budget. All places are counted by the run approval-budgets/default.',
    commands: [
      "kubectl get bmh -A -o custom-columns='NAMESPACE:.metadata.namespace,HOST:.metadata.name,STATE:.status.provisioning.state,ERROR:.status.errorMessage'",
      'temporal workflow query --workflow-id approval-budgets/default --type lockView',
      EDIT_HOLDER,
    ],
  }),
  holding({
    id: 'budget-unreadable',
    see: ({ host }) => withHolders(heldFor(host, 'BudgetUnreadable'), host, budgetsSaid),
    cause: 'A budget of the host cannot be read: it allows no host, until a person corrects it.',
    next: 'Correct the annotation temper/approval-budget of the objects that the message names.',
    commands: [EDIT_HOLDER],
  }),
  words({
    id: 'fixture-fails',
    whileDeleting: true,
    says: /the annotation temper\/fixture-fail makes/,
    cause: 'An annotation of the lab makes this operation fail.',
    next: 'Remove the annotation, and ask for another try.',
    commands: [
      `kubectl -n {namespace} annotate bmh {host} ${FAIL_ANNOTATION}-`,
      "npx temper retry host {host} -n {namespace} --reason 'the annotation is gone'",
    ],
  }),
];

const failed = (id: string, errorType: NonNullable<SeenHost['errorType']>, what: string): Diagnosis => ({
  id,
  of: 'host',
  readsWords: true,
  whileDeleting: true,
  see({ host }) {
    const text = host?.texts[0]?.words ?? 'without a message';
    return host?.errorType === errorType && !GIVEN_UP.test(text) ? shows(host, 'status.errorMessage', text) : undefined;
  },
  cause: `${what} failed, for a reason that this table does not know.`,
  next: 'Read the message in full. The host tries again by itself, after a wait that grows with each failure.',
  commands: [
    `kubectl -n {namespace} get bmh {host} -o jsonpath='{.status.errorMessage}'`,
    'kubectl -n {namespace} events --for bmh/{host}',
  ],
});

/** When nothing else is known. */
export const FALLBACK: readonly Diagnosis[] = [
  failed('registration-failed', 'registration error', 'The registration with Ironic'),
  failed('inspection-failed', 'inspection error', 'The inspection'),
  failed('preparation-failed', 'preparation error', 'The preparation'),
  failed('provisioning-failed', 'provisioning error', 'The deployment, or its removal,'),
  failed('power-failed', 'power management error', 'A change of the power'),
  failed('adoption-failed', 'provisioned registration error', 'The registration of a host that runs its image'),
  {
    id: 'longer-than-usual',
    of: 'host',
    whileDeleting: true,
    readsWords: true,
    see: longerThanUsual,
    cause:
      'The host is in its state for longer than usual, and shows no error: the server, its agent, Ironic or the workers are slow or gone.',
    next: 'Look at the console of the server, at Ironic, and at /readyz of the workers. With Temporal, the details of its run say more.',
    commands: [
      PODS,
      'kubectl get pods -A | grep -i ironic',
      'temporal workflow describe -w baremetalhost/{namespace}/{host}',
    ],
  },
];

/** What the API accepts, and what has no effect: nothing waits for it. */
export const IGNORED: readonly Diagnosis[] = [
  {
    id: 'spec-ignored',
    of: 'host',
    see: ({ host }) => conditionTrue(host, SPEC_IGNORED),
    cause: 'Fields of the spec have no effect.',
    next: 'Remove the fields that the message names, or use an image that is written to a disk, if they are needed.',
    risk: OTHER_IMAGE,
    commands: ['kubectl -n {namespace} edit bmh {host}'],
  },
];
