import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { parseBareMetalHost } from '../../api/baremetalhost/parse.ts';
import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import { UNDEPLOYING_ANNOTATION } from '../../api/baremetalhost/values.ts';
import { unapproved } from '../../domain/host/approval/unapproved.ts';
import {
  askedAgain,
  type HostRequest,
  isOfPresentWish,
  isUndeploymentBegun,
  objection,
  tooEarly,
} from '../../domain/host/desired/asked-now.ts';
import { freshDeployment, freshOrder, freshPower, freshPreparation } from '../../domain/host/desired/fresh-order.ts';
import { isErasing } from '../../domain/ironic/moves/undeploy.ts';
import type { DeprovisionOrder, HostRef, IronicAnswer } from '../../domain/ironic/orders.ts';
import { isOvertaken, type Kube } from '../../kube/client.ts';
import { sealedSpec, sealedStatus } from '../../kube/objects/sealed-host.ts';
import { sealImage } from '../../kube/objects/sealed-urls.ts';
import { hostPath } from '../../kube/paths.ts';
import { STALE } from '../../workflows/messages.ts';
import type { IronicActivities } from '../ironic/activities.ts';
import { unlessForbidden } from '../kubernetes/refusal.ts';
import { otherAgentImage } from './agent-image.ts';

export interface FreshnessDeps {
  readonly kube: Pick<Kube, 'find' | 'patch'>;
  readonly call: () => { readonly signal: AbortSignal };
  /**
   * How long (ms) an activity waits for a BareMetalHost to ask for its request: the write of its last state, or the
   * signal to its workflow about a change, may be on the way.
   */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 20_000;
/** The first pause (ms) between two looks; the next ones double. */
const FIRST_PAUSE_MS = 50;

/**
 * The same activities, but each request that erases, reboots or powers off a server, or sends credentials to its BMC,
 * reads the BareMetalHost first. If the host does not ask for the request now, or nobody has approved what needs
 * approval, nothing is requested, and the activity fails with type `Stale`: the workflow begins anew from the object.
 * Otherwise the order is carried out with the settings of the host as it was read, whatever the order says of them.
 * While the status does not show the state in which a server is prepared, deployed or undeployed, the activity fails
 * and is repeated. If a deprovisioning host asks for its image again, the image stays, unless its server was told to
 * erase it.
 */
export function forFreshHosts(activities: IronicActivities, deps: FreshnessDeps): IronicActivities {
  const checked = async <Answer>(
    request: HostRequest,
    perform: (host: BareMetalHost) => Promise<Answer>,
  ): Promise<Answer> => perform(await mustBeAsked(request, deps));
  return {
    ...activities,
    registerNode: (order) =>
      checked({ name: 'register', order }, (host) => activities.registerNode(freshOrder(host, order))),
    startInspection: (order) =>
      checked({ name: 'inspect', order }, (host) => activities.startInspection(freshOrder(host, order))),
    prepareNode: (order) =>
      checked({ name: 'prepare', order }, (host) => activities.prepareNode(freshPreparation(host, order))),
    provideNode: (order) =>
      checked({ name: 'clean', order }, (host) =>
        activities.provideNode(
          order.deployment === undefined ? order : { ...order, deployment: freshDeployment(host, order.deployment) },
        ),
      ),
    deployNode: (order) =>
      checked({ name: 'deploy', order }, (host) => activities.deployNode(freshDeployment(host, order))),
    undeployNode: (order) =>
      checked({ name: 'undeploy', order }, (host) => undeploy(activities, deps.kube, host, order)),
    // Powering on disturbs nothing.
    setPower: (order) =>
      order.on && order.rebootFor === undefined
        ? activities.setPower(order)
        : checked({ name: 'power', order }, (host) => activities.setPower(freshPower(host, order))),
    abortNode: (order) => checked({ name: 'abort', order }, () => activities.abortNode(order)),
    deleteNode: (order) => checked({ name: 'delete', order }, () => activities.deleteNode(order)),
  };
}

/**
 * A node that runs what the host asks for is not undeployed. A run that does not know that the host asks for it would
 * undeploy it again and again, so it begins anew.
 */
async function undeploy(
  { undeployNode }: Pick<IronicActivities, 'undeployNode'>,
  kube: FreshnessDeps['kube'],
  host: BareMetalHost,
  order: DeprovisionOrder,
): Promise<IronicAnswer> {
  const { askedAgain: _, ...asked } = order;
  const wish = isUndeploymentBegun(host, order) ? undefined : askedAgain(host);
  const isKnown = isOfPresentWish(host, order) && !order.isLeaving;
  const answer = await undeployNode({ ...freshOrder(host, asked), ...(wish !== undefined && { askedAgain: wish }) });
  if (answer.kind === 'done' && answer.node.state === 'active' && !isKnown)
    throw stale(`undeploy: BareMetalHost ${order.host.name}: it asks for what is deployed on it`);
  if (isErasing(answer)) await markBegun(kube, host, order);
  return answer;
}

/**
 * Says on the host that Ironic was told to undeploy its node. Where a policy forbids that, an undeployment counts as one
 * that was not begun if Ironic's database is put back to a time before it.
 */
async function markBegun(
  kube: FreshnessDeps['kube'],
  { metadata: { annotations = {} } }: BareMetalHost,
  { host, nodeId }: DeprovisionOrder,
): Promise<void> {
  if (annotations[UNDEPLOYING_ANNOTATION] === nodeId) return;
  const metadata = { uid: host.uid, annotations: { [UNDEPLOYING_ANNOTATION]: nodeId } };
  await unlessForbidden(() => kube.patch(hostPath(host), { metadata })).catch((error: unknown) => {
    if (!isOvertaken(error)) throw error;
  });
}

/** Resolves with the host, which asks for the request. */
async function mustBeAsked(
  request: HostRequest,
  { kube, call, patienceMs = PATIENCE_MS }: FreshnessDeps,
): Promise<BareMetalHost> {
  const { signal } = call();
  const { host } = request.order;
  const deadline = Date.now() + patienceMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
    const now = await hostNow(kube, request.order.host);
    const problem =
      typeof now === 'string' ? now : (refusal(now, sealedRequest(request)) ?? (await otherAgentImage(kube, request)));
    const early = typeof now === 'object' && problem === undefined ? tooEarly(now, request) : undefined;
    if (typeof now === 'object' && problem === undefined && early === undefined) return now;
    const leftMs = deadline - Date.now();
    if (leftMs <= 0) {
      const what = `${request.name}: BareMetalHost ${host.name}: `;
      throw problem === undefined ? notShown(`${what}${early}`) : stale(`${what}${problem}`);
    }
    await sleep(Math.min(pauseMs, leftMs), undefined, { signal });
  }
}

/** The host does not ask for the request, or nobody has approved it. */
const refusal = (host: BareMetalHost | undefined, request: HostRequest): string | undefined =>
  objection(host, request) ?? (host && unapproved(host, request));

/** The host as it is in the API server; undefined when it is gone. A text: why it can't be read. */
async function hostNow(kube: FreshnessDeps['kube'], host: HostRef): Promise<BareMetalHost | string | undefined> {
  const found = await kube.find(hostPath(host));
  if (found === undefined) return undefined;
  const read = parseBareMetalHost(found);
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
