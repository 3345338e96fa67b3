import PQueue from 'p-queue';
import { dataManifest } from '../../../domain/data/manifests.ts';
import { DATA_CLAIM_FINALIZER, dataName } from '../../../domain/data/names.ts';
import type { ClaimTask } from '../../../domain/data-template/decide.ts';
import type { TaskAnswer, TemplateAction } from '../../../domain/data-template/entity.ts';
import { isAlreadyExists, isNotFound, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readMetal3Data } from '../../../kube/objects/metal3data.ts';
import { type DataClaimRead, machineOfClaim, readDataClaim } from '../../../kube/objects/metal3dataclaim.ts';
import { collectionPath, isObjectName, objectPath } from '../../../kube/paths.ts';
import { isApiRefusal } from '../refusal.ts';
import { dropFinalizer } from '../secrets.ts';

export interface DataClaimTaskActivities {
  /** Performs the tasks for the claims of a template, a few at a time. Idempotent; a refusal affects only one claim. */
  settleClaims(action: TemplateAction): Promise<readonly TaskAnswer[]>;
}

const AT_A_TIME = 8;
const DONE: TaskAnswer = { kind: 'done' };
const NOT_CREATED = 'Failed to create associated Metal3Data object';
const NOT_DELETED = 'Failed to delete associated Metal3Data object';

export const createDataClaimTaskActivities = ({ kube }: { readonly kube: Kube }): DataClaimTaskActivities => ({
  async settleClaims(action) {
    const queue = new PQueue({ concurrency: AT_A_TIME });
    return queue.addAll(action.tasks.map((task) => () => settle(kube, action, task).catch(refusalOf)));
  },
});

async function settle(kube: Kube, { namespace, template }: TemplateAction, task: ClaimTask): Promise<TaskAnswer> {
  switch (task.kind) {
    case 'give':
      return give(kube, { namespace, template, ...task });
    case 'release':
      return release(kube, { namespace, ...task });
    case 'complain': {
      const { claim, uid, message } = task;
      const found = await ours(kube, { namespace, claim, uid });
      if (found !== undefined) await showOn(kube, found, { errorMessage: message });
      return DONE;
    }
    case 'let go': {
      const path = objectPath(KINDS.data, { namespace, name: task.data });
      const data = await kube.find(path);
      const isLeaving = data !== undefined && readMetal3Data(data).metadata.deletionTimestamp !== undefined;
      if (isLeaving) await dropFinalizer(kube, path, DATA_CLAIM_FINALIZER);
      return DONE;
    }
  }
}

interface ClaimRef {
  readonly namespace: string;
  readonly claim: string;
  readonly uid: string;
}

async function findClaim(kube: Kube, { namespace, claim }: ClaimRef): Promise<DataClaimRead | undefined> {
  const found = await kube.find(objectPath(KINDS.dataClaim, { namespace, name: claim }));
  return found === undefined ? undefined : readDataClaim(found);
}

/** undefined when it is gone or has been recreated. */
async function ours(kube: Kube, ref: ClaimRef): Promise<DataClaimRead | undefined> {
  const claim = await findClaim(kube, ref);
  return claim?.metadata.uid === ref.uid ? claim : undefined;
}

type GiveOrder = ClaimRef & { readonly template: string; readonly index: number };

/** Changes in the meantime are left for the next decision. */
async function give(kube: Kube, order: GiveOrder): Promise<TaskAnswer> {
  const { namespace, template, index } = order;
  const claim = await held(kube, order);
  if (claim === undefined || claim.status.renderedData !== undefined) return DONE;
  const metal3Machine = machineOfClaim(claim);
  if (metal3Machine === undefined) return DONE;
  const { name, uid, labels } = claim.metadata;
  const body = dataManifest({ template, index, claim: { namespace, name, uid, labels }, metal3Machine });
  try {
    await kube.request({ method: 'POST', path: collectionPath(KINDS.data, namespace), body });
  } catch (error) {
    if (isAlreadyExists(error)) {
      if (!(await isFor(kube, order))) return { kind: 'taken' };
    } else {
      const refusal = refusalOf(error);
      await showOn(kube, claim, { errorMessage: NOT_CREATED });
      return refusal;
    }
  }
  await showOn(kube, claim, { renderedData: { name: dataName(template, index), namespace }, errorMessage: null });
  return DONE;
}

/**
 * Adds the finalizer to the claim, so that it exists until its Metal3Data is released; undefined when it is being
 * deleted.
 */
const held = (kube: Kube, order: ClaimRef): Promise<DataClaimRead | undefined> =>
  whileContended(async () => {
    const claim = await ours(kube, order);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return undefined;
    const { finalizers, resourceVersion, namespace, name } = claim.metadata;
    if (finalizers.includes(DATA_CLAIM_FINALIZER)) return claim;
    const metadata = { resourceVersion, finalizers: [...finalizers, DATA_CLAIM_FINALIZER] };
    return readDataClaim(await kube.patch(objectPath(KINDS.dataClaim, { namespace, name }), { metadata }));
  });

/** True when the Metal3Data with this index belongs to this claim. */
async function isFor(kube: Kube, { namespace, template, index, claim }: GiveOrder): Promise<boolean> {
  const found = await kube.find(objectPath(KINDS.data, { namespace, name: dataName(template, index) }));
  if (found === undefined) return false;
  const { metadata, spec } = readMetal3Data(found);
  return metadata.deletionTimestamp === undefined && spec.claim?.name === claim && spec.template?.name === template;
}

type ReleaseOrder = ClaimRef & { readonly data: string | null; readonly problem?: string };

async function release(kube: Kube, order: ReleaseOrder): Promise<TaskAnswer> {
  const { namespace, data } = order;
  const claim = await findClaim(kube, order);
  const isLeaving =
    claim === undefined || (claim.metadata.uid === order.uid && claim.metadata.deletionTimestamp !== undefined);
  // An etcd that was put back may have the claim, or an earlier one of its name, as it was before the deletion.
  if (!isLeaving) return { kind: 'refused', message: 'is not being deleted' };
  const path = data === null || !isObjectName(data) ? undefined : objectPath(KINDS.data, { namespace, name: data });
  const found = path === undefined ? undefined : await kube.find(path);
  if (path !== undefined && found !== undefined && readMetal3Data(found).spec.claim?.name === order.claim) {
    await dropFinalizer(kube, path, DATA_CLAIM_FINALIZER);
    try {
      await kube.request({ method: 'DELETE', path });
    } catch (error) {
      if (!isNotFound(error)) {
        const refusal = refusalOf(error);
        if (claim !== undefined) await showOn(kube, claim, { errorMessage: NOT_DELETED });
        return refusal;
      }
    }
  } else if (claim !== undefined) {
    await showOn(kube, claim, { renderedData: null, errorMessage: order.problem ?? null });
  }
  const { claim: name } = order;
  if (claim !== undefined)
    await dropFinalizer(kube, objectPath(KINDS.dataClaim, { namespace, name }), DATA_CLAIM_FINALIZER);
  return DONE;
}

/** The bridge only writes the status of objects with their own workflow; a claim has none. */
async function showOn(kube: Kube, { metadata: { namespace, name } }: DataClaimRead, status: object): Promise<void> {
  try {
    await kube.patch(`${objectPath(KINDS.dataClaim, { namespace, name })}/status`, { status });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Any error except a refusal is thrown and retried. */
function refusalOf(error: unknown): TaskAnswer {
  if (!isApiRefusal(error)) throw error;
  return { kind: 'refused', message: error.words };
}
