import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/message-of.ts';
import { OPERATORS } from '../../domain/other-operators/operators.ts';
import { type Kube, KubeError } from '../../kube/client.ts';
import { listAll } from '../../kube/list-all.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { collectionPath, objectPath, webhookConfigurationPath } from '../../kube/paths.ts';
import { remove } from '../../kube/remove.ts';
import { endpointsOf, withKube } from '../access.ts';
import { DEPLOYMENTS, OF_TEMPER } from '../deployments.ts';
import { webhookConfiguration } from '../migrate/webhooks.ts';
import { DONE, type Out, printable, REFUSED, UNREACHABLE } from '../out.ts';
import { askAll, type ExitCode } from '../steer/ask-all.ts';
import { type Installation, installationIn, otherInstallations } from './installation.ts';
import { leftoverCommands } from './leftovers.ts';
import { clean, objectsToClean, type ToClean } from './objects.ts';
import type { UninstallRequest } from './options.ts';
import { otherBridge } from './other-bridge.ts';
import { runningOperators } from './running.ts';

/** Objects that are cleaned at the same time. */
const AT_ONCE = 8;
const LOOK_MS = 1_000;

/** Takes Temper away, or says what that would do. Returns the exit code. */
export const takeAway = (request: UninstallRequest, out: Out): Promise<number> =>
  withKube(endpointsOf(request.dir), (kube) => takenAway(kube, request, out));

async function takenAway(
  kube: Kube,
  { bridgeNamespace: namespace, isForMetal3, isConfirmed, timeoutMs }: UninstallRequest,
  out: Out,
): Promise<number> {
  const line = (text: string): void => out.line(printable(text));
  const going = await installationIn(kube, namespace);
  const staying = await otherInstallations(kube, namespace);
  for (const each of staying) line(`left alone: what the Temper in namespace ${each.namespace} cares for`);

  const isRefused = async (pods: readonly string[], changed: string): Promise<boolean> => {
    const known = { pods, staying: staying.map((each) => each.namespace) };
    const runs = await otherBridge(kube, known, (text) => out.aside(printable(text)));
    if (runs === undefined) return false;
    const next = 'End that bridge and its workers, wherever they run, then try again';
    out.aside(printable(`temper: another bridge of Temper runs: ${runs}. ${next}; ${changed}`));
    return true;
  };
  const pods = await podsIn(kube, namespace);
  if (await isRefused(pods, 'nothing was changed')) return REFUSED;

  // Bridge and workers first: they would put back what is taken off, and erase what is deleted.
  for (const name of going.deployments) line(`stop: Deployment ${namespace}/${name}`);
  if (isConfirmed) {
    if (!(await stop(kube, going, timeoutMs, out))) return REFUSED;
    if (pods.length > 0 && (await isRefused([], 'nothing else was changed'))) return REFUSED;
  }

  // Then the webhooks: without a server they would refuse what follows.
  for (const webhooks of await webhooksServedIn(kube, namespace)) {
    line(`remove: ${webhooks.verb} webhooks ${webhooks.name}`);
    if (isConfirmed) await removeWebhooks(kube, webhooks);
  }

  const running = isForMetal3 ? [] : await runningOperators(kube, Date.now());
  for (const { operator, sign } of running)
    line(`left alone: finalizers of ${operator.part}, because ${operator.name} runs: ${sign}`);
  const left = (isForMetal3 ? OPERATORS : running.map(({ operator }) => operator)).map(({ part }) => part);
  const objects = await objectsToClean(kube, going, staying, left);
  const what = isForMetal3 ? 'annotations and conditions' : 'finalizers, annotations and conditions';
  for (const [kind, of] of Map.groupBy(objects, (each) => each.kind.plural))
    line(`clean: ${what} of ${of.length} ${kind}`);
  for (const { name, isFreed } of objects)
    if (isFreed) line(`gone by that: ${name} is being deleted; a server keeps what runs on it`);
  const code = isConfirmed
    ? await askAll(objects, { atOnce: AT_ONCE, ask: cleaning(kube, out), tell: out.aside })
    : DONE;

  line('What is left, besides CRDs and their objects, and how to remove it:');
  const isLast = staying.length === 0;
  for (const command of await leftoverCommands(kube, { namespace, isLast })) line(`  ${command}`);
  line('Leave the CRDs: deleting one deletes all of its objects.');
  if (!isConfirmed) line(`Nothing was changed. To do it, add: --confirm ${namespace}`);
  return code;
}

const cleaning =
  (kube: Kube, out: Out) =>
  async (object: ToClean): Promise<ExitCode> => {
    try {
      await clean(kube, object);
      return DONE;
    } catch (error) {
      out.aside(`temper: ${object.name} could not be cleaned: ${messageOf(error)}`);
      return error instanceof KubeError && error.status !== 0 ? REFUSED : UNREACHABLE;
    }
  };

/** Scales all Deployments to 0, and waits until their Pods are gone. False: some are still there. */
async function stop(
  kube: Kube,
  { namespace, deployments }: Installation,
  timeoutMs: number,
  out: Out,
): Promise<boolean> {
  for (const name of deployments) {
    await kube.patch(objectPath(DEPLOYMENTS, { namespace, name }), { spec: { replicas: 0 } });
  }
  const deadline = Date.now() + timeoutMs;
  for (let before = ''; ; ) {
    const pods = await podsIn(kube, namespace);
    if (pods.length === 0) return true;
    const waiting = `waiting for the end of Pods: ${pods.join(', ')}`;
    if (waiting !== before) out.aside(waiting);
    before = waiting;
    if (Date.now() > deadline) {
      out.aside(`temper: these Pods have not ended: ${pods.join(', ')}; nothing else was changed`);
      return false;
    }
    await sleep(LOOK_MS);
  }
}

async function podsIn(kube: Kube, namespace: string): Promise<readonly string[]> {
  const path = collectionPath({ apiVersion: 'v1', plural: 'pods' }, namespace);
  return (await listAll(kube, path, { labelSelector: OF_TEMPER })).map((pod) => readMetadata(pod).name);
}

interface WebhooksOfNamespace {
  readonly verb: 'validating' | 'mutating';
  readonly name: string;
}

/** The configurations all of whose webhooks ask a Service in this namespace. */
async function webhooksServedIn(kube: Kube, namespace: string): Promise<readonly WebhooksOfNamespace[]> {
  const found: WebhooksOfNamespace[] = [];
  for (const verb of ['validating', 'mutating'] as const) {
    for (const object of await listAll(kube, webhookConfigurationPath(undefined, verb))) {
      const { metadata: meta, webhooks } = webhookConfiguration.parse(object);
      const isServed = webhooks.every(({ clientConfig }) => clientConfig.service?.namespace === namespace);
      if (webhooks.length > 0 && isServed) found.push({ verb, name: meta.name });
    }
  }
  return found;
}

const removeWebhooks = (kube: Kube, { verb, name }: WebhooksOfNamespace): Promise<void> =>
  remove(kube, webhookConfigurationPath(name, verb));
