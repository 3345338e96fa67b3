import { setWorkflowOptions } from '@temporalio/workflow';
import { deleteWorkflow } from './operations/delete.ts';
import { deprovisionWorkflow } from './operations/deprovision.ts';
import { inspectWorkflow } from './operations/inspect.ts';
import { prepareWorkflow } from './operations/prepare.ts';
import { provisionWorkflow } from './operations/provision.ts';

/**
 * Where workers have versions, `workers/bundle.ts` writes `versioned` into the bundle. Temporal refuses every task of a
 * worker without a version that names a behaviour.
 */
const WORKERS: string = 'temper-workers-unversioned';

/**
 * Operations end with the code with which they began. All other workflows live for years, and move to the current
 * version with their next task: the default of the workers.
 */
const OPERATIONS: readonly ((order: never) => Promise<unknown>)[] = [
  deleteWorkflow,
  deprovisionWorkflow,
  inspectWorkflow,
  prepareWorkflow,
  provisionWorkflow,
];

if (WORKERS === 'temper-workers-versioned')
  for (const operation of OPERATIONS) setWorkflowOptions({ versioningBehavior: 'PINNED' }, operation);
