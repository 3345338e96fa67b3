import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { REQUEST_ANNOTATION, UNDEPLOYING_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { notMarkedInWords } from '../../domain/entity/failing-request.ts';
import { unapproved } from '../../domain/host/approval/unapproved.ts';
import {
  askedAgain,
  type HostRequest,
  isOfPresentWish,
  isUndeploymentBegun,
  objection,
  showsDeployment,
  tooEarly,
} from '../../domain/host/desired/asked-now.ts';
import { freshDeployment, freshOrder, freshPower, freshPreparation } from '../../domain/host/desired/fresh-order.ts';
import { isErasing } from '../../domain/ironic/moves/undeploy.ts';
import type { DeprovisionOrder, HostRef, IronicAnswer } from '../../domain/ironic/orders.ts';
import type { WithheldReason } from '../../domain/ironic/withheld.ts';
import { same } from '../../domain/same.ts';
import type { Kube } from '../../kube/client.ts';
import { whileContended } from '../../kube/contended.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { sealedSpec, sealedStatus } from '../../kube/objects/sealed-host.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { hostPath } from '../../kube/paths.ts';
import { unlessGone } from '../../kube/remove.ts';
import { STALE } from '../../workflows/messages.ts';
import type { IronicActivities, NodeOperations } from '../ironic/activities.ts';
import type { ProvideOrder } from '../ironic/deployment/provide.ts';
import { unlessForbidden } from '../kubernetes/refusal.ts';
import { whyLeftAlone } from '../other-operator.ts';
import { type Clocks, PROCESS_CLOCKS } from '../permits/clocks.ts';
import { type Asking, askingFor, type Objection } from '../permits/permit.ts';
import { Withheld } from '../permits/withheld.ts';
import { otherAgentImage, otherMedium } from './medium.ts';

export interface FreshnessDeps {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  /** The same API server without the rate limit, for what is read and written with a place; `kube` by default. */
  readonly urgent?: Pick<Kube, 'find' | 'patch'>;
  readonly call: () => { readonly signal: AbortSignal };
  /**
   * How long (ms) an activity waits for a BareMetalHost to ask for its request: the write of its last state, or the
   * signal to its workflow about a change, may be on the way.
   */
  readonly patienceMs?: number;
  /** Called with the reason when a request that had its turn is not sent. */
  readonly onWithheld?: (reason: WithheldReason) => void;
  readonly clocks?: Clocks;
}

const PATIENCE_MS = 20_000;
/** The first pause (ms) between two looks; the next ones double. */
const FIRST_PAUSE_MS = 50;

/**
 * The activities, with operations that read the BareMetalHost before each request that changes something, when the
 * request has its turn. If the host does not ask for the request now, or nobody has approved what needs approval,
 * nothing is requested, and the activity fails with type `Stale`: the workflow begins anew from the object. Otherwise
 * the order is carried out with the settings of the host as it was read, whatever the order says of them. While the
 * status does not show the state in which a server is prepared, deployed or undeployed, the activity fails and is
 * repeated. If a deprovisioning host asks for its image again, the image stays, unless its server was told to erase it.
 */
export function forFreshHosts(operations: NodeOperations, deps: FreshnessDeps): IronicActivities {
  const keep = <Order extends { readonly host: HostRef }>(order: Order): Checked<Order> => ({
    request: { name: 'keep', order },
    orderFor: () => order,
  });
  return {
    ...operations,
    registerNode: (order) =>
      checked(
        deps,
        { request: { name: 'register', order }, orderFor: (host) => freshOrder(host, order) },
        operations.registerNode,
      ),
    startInspection: (order) =>
      checked(
        deps,
        { request: { name: 'inspect', order }, orderFor: (host) => freshOrder(host, order) },
        operations.startInspection,
      ),
    prepareNode: (order) =>
      checked(
        deps,
        { request: { name: 'prepare', order }, orderFor: (host) => freshPreparation(host, order) },
        operations.prepareNode,
      ),
    provideNode: (order) =>
      checked(
        deps,
        { request: { name: 'clean', order }, orderFor: (host) => freshCleaning(host, order) },
        operations.provideNode,
      ),
    deployNode: (order) =>
      checked(
        deps,
        { request: { name: 'deploy', order }, orderFor: (host) => freshDeployment(host, order) },
        operations.deployNode,
      ),
    undeployNode: (order) => undeploy(deps, operations, order),
    examineNode: (order) =>
      checked(deps, { request: { name: 'examine', order }, orderFor: () => order }, operations.examineNode),
    setPower: (order) =>
      checked(
        deps,
        { request: { name: 'power', order }, orderFor: (host) => freshPower(host, order) },
        operations.setPower,
      ),
    abortNode: (order) =>
      checked(deps, { request: { name: 'abort', order }, orderFor: () => order }, operations.abortNode),
    deleteNode: (order) =>
      checked(deps, { request: { name: 'delete', order }, orderFor: () => order }, operations.deleteNode),
    adoptNode: (order) => checked(deps, keep(order), operations.adoptNode),
    changeMedia: (order) =>
      checked(deps, { request: { name: 'media', order }, orderFor: () => order }, operations.changeMedia),
    saveInventory: (order) => checked(deps, keep(order), operations.saveInventory),
  };
}

/** With what will be deployed afterwards, as the host asks for it now. */
const freshCleaning = (host: BareMetalHost, order: ProvideOrder): ProvideOrder =>
  order.deployment === undefined ? order : { ...order, deployment: freshDeployment(host, order.deployment) };

/** An order of a workflow, as a request that the BareMetalHost has to ask for. */
interface Checked<Order> {
  readonly request: HostRequest;
  /** The order with the settings of the host. */
  readonly orderFor: (host: BareMetalHost) => Order;
  /** Annotations for the host, besides the mark that goes, when the operation has this answer. */
  readonly annotationsFor?: (host: BareMetalHost, answer: unknown) => Readonly<Record<string, string>>;
}

/**
 * Waits until the host asks for the request, and performs the operation with the order as the host asks for it. When
 * that is no longer so before a request has its turn, it waits again.
 */
async function checked<Order, Answer>(
  deps: FreshnessDeps,
  { request, orderFor, annotationsFor = () => ({}) }: Checked<Order>,
  perform: (order: Order, asking: Asking) => Promise<Answer>,
): Promise<Answer> {
  const { kube, urgent = kube, onWithheld, clocks = PROCESS_CLOCKS } = deps;
  const ref = request.order.host;
  for (;;) {
    const host = await mustBeAsked(request, deps);
    const order = orderFor(host);
    const asking = askingFor({
      kube: urgent,
      path: hostPath(ref),
      uid: ref.uid,
      annotation: REQUEST_ANNOTATION,
      earlier: host.metadata.annotations?.[REQUEST_ANNOTATION],
      objection: (object) =>
        objectionNow(urgent, request, readHost(object, clocks.wall()), (now) => same(orderFor(now), order)),
      clocks,
      onTooOld: () => onWithheld?.('too old'),
    });
    const annotate = (more: Readonly<Record<string, string>>): Promise<void> =>
      annotated(kube, ref, asking.isSettled ? asking.text : undefined, more);
    try {
      const answer = await perform(order, asking);
      await annotate(annotationsFor(host, answer));
      return answer;
    } catch (error) {
      if (asking.isSettled) await annotate({}).catch(() => undefined);
      if (!(error instanceof Withheld)) throw error;
      onWithheld?.(error.reason);
      if (error.reason === 'no mark') throw notMarked(request, error.message);
    }
  }
}

/** Why the object, as it was just read, does not ask for the request with the settings that it has. */
async function objectionNow(
  kube: FreshnessDeps['kube'],
  request: HostRequest,
  host: ReturnType<typeof readHost>,
  isSameOrder: (host: BareMetalHost) => boolean,
): Promise<Objection> {
  const problem = typeof host === 'string' ? host : await problemOf(kube, host, request);
  if (typeof problem === 'string') return { reason: 'not asked', message: problem };
  return typeof host === 'object' && isSameOrder(host)
    ? undefined
    : { reason: 'changed', message: 'it asks for it with other settings' };
}

/**
 * A node that runs what the host asks for is not undeployed. A run that does not know that the host asks for it would
 * undeploy it again and again, so it begins anew.
 */
async function undeploy(
  deps: FreshnessDeps,
  { undeployNode }: Pick<NodeOperations, 'undeployNode'>,
  ordered: DeprovisionOrder,
): Promise<IronicAnswer> {
  // What the workflow says that the host asks for does not count.
  const { askedAgain: _, isShown: _1, ...order } = ordered;
  let isKnown = false;
  const orderFor = (host: BareMetalHost): DeprovisionOrder => {
    const wish = isUndeploymentBegun(host, order) ? undefined : askedAgain(host);
    isKnown = isOfPresentWish(host, order) && !order.isLeaving;
    return {
      ...freshOrder(host, order),
      ...(wish !== undefined && { askedAgain: wish }),
      ...(showsDeployment(host) && { isShown: true }),
    };
  };
  // Says on the host that Ironic was told to undeploy its node.
  const annotationsFor = ({ metadata: { annotations = {} } }: BareMetalHost, answer: unknown) =>
    isErasing(answer as IronicAnswer) && annotations[UNDEPLOYING_ANNOTATION] !== order.nodeId
      ? { [UNDEPLOYING_ANNOTATION]: order.nodeId }
      : {};
  const request = { name: 'undeploy', order } as const;
  const answer = await checked(deps, { request, orderFor, annotationsFor }, undeployNode);
  if (answer.kind === 'done' && answer.node.state === 'active' && !isKnown)
    throw stale(`undeploy: BareMetalHost ${order.host.name}: it asks for what is deployed on it`);
  return answer;
}

/**
 * Writes annotations to the host, and removes its mark if that is still the one that is settled: another process may
 * have written its own since. Where a policy forbids that, or the host is another one by now, nothing is written.
 */
async function annotated(
  kube: FreshnessDeps['kube'],
  host: HostRef,
  settled: string | undefined,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  if (settled === undefined && Object.keys(more).length === 0) return;
  const write = async (): Promise<void> => {
    const found = await kube.find(hostPath(host));
    if (found === undefined) return;
    const { uid, resourceVersion, annotations: present } = readMetadata(found);
    const isMarked = settled !== undefined && present[REQUEST_ANNOTATION] === settled;
    const annotations = { ...(isMarked && { [REQUEST_ANNOTATION]: null }), ...more };
    if (uid !== host.uid || Object.keys(annotations).length === 0) return;
    await kube.patch(hostPath(host), { metadata: { uid, resourceVersion, annotations } }).catch(unlessGone);
  };
  await unlessForbidden(() => whileContended(write));
}

/** Resolves with the host, which asks for the request. */
async function mustBeAsked(
  request: HostRequest,
  { kube, call, patienceMs = PATIENCE_MS, clocks = PROCESS_CLOCKS }: FreshnessDeps,
): Promise<BareMetalHost> {
  const { signal } = call();
  const { host } = request.order;
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const now = readHost(await kube.find(hostPath(host), { signal }), clocks.wall());
    const problem = typeof now === 'string' ? now : await problemOf(kube, now, request);
    if (typeof now === 'object' && problem === undefined) return now;
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) {
      const what = `${request.name}: BareMetalHost ${host.name}: `;
      throw typeof problem === 'object' ? notShown(`${what}${problem.early}`) : stale(`${what}${problem}`);
    }
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal });
  }
}

/** Why nothing may be sent: a text, or that the object asks for it but is too early. */
async function problemOf(
  kube: FreshnessDeps['kube'],
  host: BareMetalHost | undefined,
  request: HostRequest,
): Promise<string | { readonly early: string } | undefined> {
  const problem =
    refusal(host, sealedRequest(request)) ??
    (await otherAgentImage(kube, request)) ??
    (await otherMedium(kube, request));
  if (problem !== undefined || host === undefined) return problem;
  const early = tooEarly(host, request);
  return early === undefined ? undefined : { early };
}

/** The host does not ask for the request, or nobody has approved it. */
const refusal = (host: BareMetalHost | undefined, request: HostRequest): string | undefined =>
  objection(host, request) ?? (host && unapproved(host, request));

/** The host as it is in the API server; undefined when it is gone. A text: why it can't be read, or is not acted upon. */
function readHost(object: unknown, now: number): BareMetalHost | string | undefined {
  if (object === undefined) return undefined;
  const leftAlone = whyLeftAlone(object, now);
  if (leftAlone !== undefined) return leftAlone;
  const read = parseBareMetalHost(object);
  return read.ok ? sealedHost(read.host) : `it can't be read: ${read.problems.join('; ')}`;
}

/** The workflow's order has the URLs of images without the secrets in them, so they are compared like that. */
function sealedHost(host: BareMetalHost): BareMetalHost {
  const { uid = '' } = host.metadata;
  const { spec, status } = host;
  return { ...host, spec: sealedSpec(uid, spec), ...(status !== undefined && { status: sealedStatus(uid, status) }) };
}

/** The order of a run that is older than sealed URLs has the secrets. */
function sealedRequest(request: HostRequest): HostRequest {
  if (request.name !== 'deploy' || request.order.image === undefined) return request;
  const { order } = request;
  return { ...request, order: { ...order, image: sealImage(order.host.uid, request.order.image) } };
}

const stale = (message: string): ApplicationFailure =>
  ApplicationFailure.create({ type: STALE, nonRetryable: true, message });

/** A failure that is retried: the bridge writes the status, and may not be running. */
const notShown = (message: string): ApplicationFailure => ApplicationFailure.create({ type: 'NotShown', message });

/** A failure that is retried: the policy may change, and without the mark nothing is sent. */
const notMarked = ({ name, order }: HostRequest, words: string): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'NotMarked',
    message: `${name}: BareMetalHost ${order.host.name}: ${notMarkedInWords(words)}`,
  });
