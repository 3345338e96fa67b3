import PQueue from 'p-queue';
import { DATA_CLAIM_FINALIZER } from '../../../api/metal3dataclaim/kind.ts';
import { dataManifest } from '../../../domain/data/manifests.ts';
import { dataName } from '../../../domain/data/names.ts';
import type { ClaimTask } from '../../../domain/data-template/decide.ts';
import type { IndexTaskAnswer, TemplateAction } from '../../../domain/data-template/entity.ts';
import { NOT_CREATED, NOT_DELETED } from '../../../domain/data-template/survey.ts';
import { isAlreadyExists, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readMetal3Data } from '../../../kube/objects/metal3data.ts';
import { type DataClaimRead, machineOfClaim, readDataClaim } from '../../../kube/objects/metal3dataclaim.ts';
import { collectionPath, isObjectName, objectPath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { dropClaim, findClaim, type HeldKind, holdClaim, showOnClaim } from '../claims.ts';
import { refusedTask } from '../refusal.ts';
import { dropFinalizer } from '../secrets.ts';

export interface DataClaimTaskActivities {
  /**
   * Performs the tasks for the claims of a template, a few at a time. Idempotent; a refusal or an error of the server
   * affects only one claim.
   */
  settleClaims(action: TemplateAction): Promise<readonly IndexTaskAnswer[]>;
}

const AT_A_TIME = 8;
const DONE: IndexTaskAnswer = { kind: 'done' };

export const createDataClaimTaskActivities = ({ kube }: { readonly kube: Kube }): DataClaimTaskActivities => ({
  async settleClaims(action) {
    const queue = new PQueue({ concurrency: AT_A_TIME });
    return queue.addAll(
      action.tasks.map((task) => () => whileContended(() => settle(kube, action, task)).catch(refusedTask)),
    );
  },
});

async function settle(kube: Kube, { namespace, template }: TemplateAction, task: ClaimTask): Promise<IndexTaskAnswer> {
  switch (task.kind) {
    case 'give':
      return give(kube, { namespace, template, ...task });
    case 'release':
      return release(kube, { namespace, ...task });
    case 'complain': {
      const { claim, uid, message } = task;
      const found = await findClaim(kube, CLAIMS, { namespace, name: claim, uid });
      if (found !== undefined) await showOnClaim(kube, CLAIMS, found, { errorMessage: message });
      return DONE;
    }
    case 'let go': {
      const path = objectPath(KINDS.data, { namespace, name: task.data });
      const data = await kube.find(path);
      if (data === undefined) return DONE;
      const { metadata, spec } = readMetal3Data(data);
      if (metadata.deletionTimestamp === undefined) return DONE;
      const name = spec.claim?.name ?? '';
      const claim = isObjectName(name) ? await findClaim(kube, CLAIMS, { namespace, name }) : undefined;
      if (claim !== undefined) return { kind: 'refused', message: `its claim ${name} exists, so it is still in use` };
      await dropFinalizer(kube, path, DATA_CLAIM_FINALIZER, metadata.uid);
      return DONE;
    }
  }
}

interface ClaimRef {
  readonly namespace: string;
  readonly claim: string;
  readonly uid: string;
}

const CLAIMS: HeldKind<DataClaimRead> = {
  resource: KINDS.dataClaim,
  finalizer: DATA_CLAIM_FINALIZER,
  read: readDataClaim,
};

type GiveOrder = ClaimRef & { readonly template: string; readonly index: number };

/** Changes in the meantime are left for the next decision. */
async function give(kube: Kube, order: GiveOrder): Promise<IndexTaskAnswer> {
  const { namespace, template, index } = order;
  const ref = { namespace, name: order.claim, uid: order.uid };
  let claim: DataClaimRead | undefined;
  try {
    claim = await holdClaim(kube, CLAIMS, ref, ({ spec }) => spec.template?.name === template);
  } catch (error) {
    const refusal = refusedTask(error);
    const found = await findClaim(kube, CLAIMS, ref);
    if (found !== undefined) await showOnClaim(kube, CLAIMS, found, { errorMessage: NOT_CREATED });
    return refusal;
  }
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
      const refusal = refusedTask(error);
      await showOnClaim(kube, CLAIMS, claim, { errorMessage: NOT_CREATED });
      return refusal;
    }
  }
  const renderedData = { name: dataName(template, index), namespace };
  await showOnClaim(kube, CLAIMS, claim, { renderedData, errorMessage: null });
  return DONE;
}

/** True when the Metal3Data with this index belongs to this claim. */
async function isFor(kube: Kube, { namespace, template, index, claim }: GiveOrder): Promise<boolean> {
  const found = await kube.find(objectPath(KINDS.data, { namespace, name: dataName(template, index) }));
  if (found === undefined) return false;
  const { metadata, spec } = readMetal3Data(found);
  return metadata.deletionTimestamp === undefined && spec.claim?.name === claim && spec.template?.name === template;
}

type ReleaseOrder = ClaimRef & { readonly data: string | null; readonly problem?: string };

async function release(kube: Kube, order: ReleaseOrder): Promise<IndexTaskAnswer> {
  const { namespace, data } = order;
  const claim = await findClaim(kube, CLAIMS, { namespace, name: order.claim });
  const isLeaving =
    claim === undefined || (claim.metadata.uid === order.uid && claim.metadata.deletionTimestamp !== undefined);
  // An etcd that was restored from a backup may have the claim, or an earlier one of its name, as it was before the
  // deletion.
  if (!isLeaving) return { kind: 'refused', message: 'is not being deleted' };
  const path = data === null || !isObjectName(data) ? undefined : objectPath(KINDS.data, { namespace, name: data });
  const found = path === undefined ? undefined : await kube.find(path);
  const its = found === undefined ? undefined : readMetal3Data(found);
  if (path !== undefined && its?.spec.claim?.name === order.claim) {
    const { uid } = its.metadata;
    await dropFinalizer(kube, path, DATA_CLAIM_FINALIZER, uid);
    try {
      await remove(kube, path, uid);
    } catch (error) {
      const refusal = refusedTask(error);
      if (claim !== undefined) await showOnClaim(kube, CLAIMS, claim, { errorMessage: NOT_DELETED });
      return refusal;
    }
  } else if (claim !== undefined) {
    await showOnClaim(kube, CLAIMS, claim, { renderedData: null, errorMessage: order.problem ?? null });
  }
  if (claim !== undefined) await dropClaim(kube, CLAIMS, claim);
  return DONE;
}
